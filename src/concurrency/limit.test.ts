import { describe, expect, test } from 'vitest'
import { createLimit } from './limit.ts'

/** Creates a limit with named tasks that the test completes. */
function openTasks(bounds: Parameters<typeof createLimit>[0]) {
  const limit = createLimit(bounds)
  const running = new Map<string, PromiseWithResolvers<string>>()
  const run = (name: string) =>
    limit.run(() => {
      const task = Promise.withResolvers<string>()
      running.set(name, task)
      return task.promise
    })
  const end = async (name: string, error?: Error) => {
    if (error) running.get(name)?.reject(error)
    else running.get(name)?.resolve(name)
    running.delete(name)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { limit, run, end, running: () => [...running.keys()] }
}

describe('a limit', () => {
  test('runs a limited number of tasks at a time, in order', async () => {
    const { run, end, running } = openTasks({ maxRunning: 2, maxWaiting: 9 })
    const all = ['a', 'b', 'c', 'd'].map(run)
    expect(running()).toEqual(['a', 'b'])
    await end('b')
    expect(running()).toEqual(['a', 'c'])
    for (const name of ['a', 'c', 'd']) await end(name)
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd'])
  })

  test('rejects immediately if the queue is full', async () => {
    const { limit, run, end } = openTasks({ maxRunning: 1, maxWaiting: 1 })
    const first = run('a')
    expect(limit.isFull()).toBe(false)
    const second = run('b')
    expect(limit.isFull()).toBe(true)
    await expect(run('c')).rejects.toMatchObject({ code: 'busy', status: 503 })
    await end('a')
    expect(limit.isFull()).toBe(false)
    await end('b')
    expect(await Promise.all([first, second])).toEqual(['a', 'b'])
  })

  test('rejects while all slots are used if waiting is not allowed', async () => {
    const { run, end } = openTasks({ maxRunning: 1, maxWaiting: 0 })
    const first = run('a')
    await expect(run('b')).rejects.toMatchObject({ code: 'busy' })
    await end('a')
    expect(await first).toBe('a')
  })

  test('runs the next task after a failure', async () => {
    const { run, end } = openTasks({ maxRunning: 1, maxWaiting: 1 })
    const failing = run('a')
    const next = run('b')
    await Promise.all([expect(failing).rejects.toThrow('broken'), end('a', new Error('broken'))])
    await end('b')
    expect(await next).toBe('b')
  })

  test('treats a synchronously thrown error as a failure', async () => {
    const { limit } = openTasks({ maxRunning: 1, maxWaiting: 0 })
    const task = () => {
      throw new Error('broken')
    }
    await expect(limit.run(task)).rejects.toThrow('broken')
    expect(await limit.run(async () => 'next')).toBe('next')
  })
})

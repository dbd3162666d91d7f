import { describe, expect, test } from 'vitest'
import { createFairQueue } from './fair-queue.ts'

type Bounds = Parameters<typeof createFairQueue>[0]

/** Creates a queue of tasks that the test ends. The first letter of a task's name is its key. */
function openQueue(bounds: Bounds) {
  const queue = createFairQueue(bounds)
  const running = new Map<string, () => void>()
  const run = (name: string) =>
    queue
      .run(name.charAt(0), () => new Promise<void>((end) => running.set(name, end)))
      .then(
        () => 'done',
        (error: { code: string }) => error.code,
      )
  const end = async (name: string) => {
    running.get(name)?.()
    running.delete(name)
    await yieldToEventLoop()
  }
  return { queue, run, end, running: () => [...running.keys()] }
}

const yieldToEventLoop = () => new Promise((resolve) => setImmediate(resolve))

describe('a fair queue', () => {
  test('runs one task per key, up to the limit', async () => {
    const { run, end, running } = openQueue({ maxRunning: 2, maxWaiting: 9 })
    const all = ['a1', 'a2', 'b1', 'c1'].map(run)
    await yieldToEventLoop()
    expect(running()).toEqual(['a1', 'b1'])
    await end('b1')
    expect(running()).toEqual(['a1', 'c1'])
    await end('c1')
    expect(running()).toEqual(['a1'])
    await end('a1')
    expect(running()).toEqual(['a2'])
    await end('a2')
    expect(await Promise.all(all)).toEqual(['done', 'done', 'done', 'done'])
  })

  test('serves keys in turn, regardless of their number of waiting tasks', async () => {
    const { run, end, running } = openQueue({ maxRunning: 1, maxWaiting: 9 })
    const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2'].map(run)
    const order: string[] = []
    await yieldToEventLoop()
    for (let [next] = running(); next; [next] = running()) {
      order.push(next)
      await end(next)
    }
    expect(order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
    expect(await Promise.all(all)).toEqual(Array(7).fill('done'))
  })

  test('allows several tasks per key if configured', async () => {
    const { run, running } = openQueue({ maxRunning: 3, maxRunningPerKey: 2, maxWaiting: 9 })
    for (const name of ['a1', 'a2', 'a3', 'b1']) void run(name)
    await yieldToEventLoop()
    expect(running()).toEqual(['a1', 'a2', 'b1'])
  })

  test("rejects tasks beyond a key's limit", async () => {
    const { run } = openQueue({ maxRunning: 1, maxWaiting: 9, maxWaitingPerKey: 2 })
    for (const name of ['a1', 'a2', 'a3']) void run(name)
    expect(await run('a4')).toBe('busy')
  })

  test('drops the last task of the key with the most waiting tasks when full', async () => {
    const { run, end, running } = openQueue({ maxRunning: 1, maxWaiting: 3 })
    void run('a1')
    const [a2, a3, a4] = ['a2', 'a3', 'a4'].map(run)
    expect(await run('a5')).toBe('busy')
    const b1 = run('b1')
    expect(await a4).toBe('busy')
    expect(await run('b2')).toBe('busy')
    const c1 = run('c1')
    expect(await a3).toBe('busy')
    expect(await run('d1')).toBe('busy')
    for (const name of ['a1', 'a2', 'b1', 'c1']) {
      expect(running()).toEqual([name])
      await end(name)
    }
    expect(await Promise.all([a2, b1, c1])).toEqual(['done', 'done', 'done'])
  })

  test('runs the next task after a failure', async () => {
    const queue = createFairQueue({ maxRunning: 1, maxWaiting: 1 })
    const failing = queue.run('a', () => Promise.reject(new Error('broken')))
    const next = queue.run('a', () => Promise.resolve('next'))
    await expect(failing).rejects.toThrow('broken')
    expect(await next).toBe('next')
  })

  test('rejects new tasks after close and finishes running ones', async () => {
    const { queue, run, end } = openQueue({ maxRunning: 1, maxWaiting: 9 })
    const running = run('a1')
    const waiting = ['a2', 'b1'].map(run)
    queue.close()
    expect(await Promise.all(waiting)).toEqual(['busy', 'busy'])
    expect(await run('c1')).toBe('busy')
    await end('a1')
    expect(await running).toBe('done')
  })
})

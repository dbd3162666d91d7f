import { describe, expect, test } from 'vitest'
import { createGather } from './gather.ts'

/** A question whose answers come when the test says so. */
function openQuestion() {
  const asked: { count: number; answer: (value: string) => void; fail: (error: Error) => void }[] =
    []
  const ask = (count: number) =>
    new Promise<string>((resolve, reject) => asked.push({ count, answer: resolve, fail: reject }))
  return { asked, ask }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('those who ask at the same time', () => {
  test('ask alone when nothing is under way', async () => {
    const { asked, ask } = openQuestion()
    const gather = createGather<string>()
    const first = gather('a', ask)
    await turn()
    asked[0]?.answer('one')
    expect(await first).toEqual({ answer: 'one', place: 1, count: 1 })
    const second = gather('a', ask)
    await turn()
    asked[1]?.answer('two')
    expect(await second).toEqual({ answer: 'two', place: 1, count: 1 })
  })

  test('wait for the question under way and then ask once, each with a place of its own', async () => {
    const { asked, ask } = openQuestion()
    const gather = createGather<string>()
    const first = gather('a', ask)
    await turn()
    const others = [gather('a', ask), gather('a', ask), gather('a', ask)]
    await turn()
    expect(asked).toHaveLength(1)
    asked[0]?.answer('one')
    await first
    await turn()
    expect(asked.map(({ count }) => count)).toEqual([1, 3])
    const late = gather('a', ask)
    asked[1]?.answer('two')
    expect(await Promise.all(others)).toEqual([
      { answer: 'two', place: 1, count: 3 },
      { answer: 'two', place: 2, count: 3 },
      { answer: 'two', place: 3, count: 3 },
    ])
    await turn()
    asked[2]?.answer('three')
    expect(await late).toEqual({ answer: 'three', place: 1, count: 1 })
  })

  test('do not wait for those who ask something else', async () => {
    const { asked, ask } = openQuestion()
    const gather = createGather<string>()
    const both = [gather('a', ask), gather('b', ask)]
    await turn()
    expect(asked).toHaveLength(2)
    for (const { answer } of asked) answer('one')
    expect(await Promise.all(both)).toHaveLength(2)
  })

  test('fail with the question that they waited for, and the next one starts afresh', async () => {
    const { asked, ask } = openQuestion()
    const gather = createGather<string>()
    const failing = [gather('a', ask)]
    await turn()
    failing.push(gather('a', ask))
    const results = Promise.allSettled(failing)
    asked[0]?.fail(new Error('away'))
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(asked).toHaveLength(1)
    const next = gather('a', ask)
    await turn()
    asked[1]?.answer('back')
    expect((await next).answer).toBe('back')
  })
})

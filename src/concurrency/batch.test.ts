import { describe, expect, test } from 'vitest'
import { createBatcher } from './batch.ts'

type Asked = {
  items: readonly number[]
  answer: (value: string) => void
  fail: (error: Error) => void
}

/** A question whose answers come when the test says so. */
function openQuestion() {
  const asked: Asked[] = []
  const ask = (items: readonly number[]) =>
    new Promise<string>((resolve, reject) => asked.push({ items, answer: resolve, fail: reject }))
  return { asked, ask }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('those who ask at the same time', () => {
  test('ask alone when nothing is under way', async () => {
    const { asked, ask } = openQuestion()
    const batch = createBatcher<number, string>()
    const first = batch('a', 1, ask)
    await turn()
    asked[0]?.answer('one')
    expect(await first).toEqual({ answer: 'one', position: 1, count: 1 })
    const second = batch('a', 2, ask)
    await turn()
    asked[1]?.answer('two')
    expect(await second).toEqual({ answer: 'two', position: 1, count: 1 })
  })

  test('wait for the question under way and then ask once, each with a position of its own', async () => {
    const { asked, ask } = openQuestion()
    const batch = createBatcher<number, string>()
    const first = batch('a', 3, ask)
    await turn()
    const others = [batch('a', 4, ask), batch('a', 5, ask), batch('a', 6, ask)]
    await turn()
    expect(asked).toHaveLength(1)
    asked[0]?.answer('one')
    await first
    await turn()
    expect(asked.map(({ items }) => items)).toEqual([[3], [4, 5, 6]])
    const late = batch('a', 7, ask)
    asked[1]?.answer('two')
    expect(await Promise.all(others)).toEqual([
      { answer: 'two', position: 1, count: 3 },
      { answer: 'two', position: 2, count: 3 },
      { answer: 'two', position: 3, count: 3 },
    ])
    await turn()
    asked[2]?.answer('three')
    expect(await late).toEqual({ answer: 'three', position: 1, count: 1 })
  })

  test('are no more at once than may be; the others ask after them', async () => {
    const { asked, ask } = openQuestion()
    const batch = createBatcher<number, string>({ most: 2 })
    const all = [1, 2, 3, 4, 5].map((item) => batch('a', item, ask))
    for (let done = 0; done < 3; done += 1) {
      await turn()
      expect(asked).toHaveLength(done + 1)
      asked[done]?.answer(`answer ${done}`)
    }
    const results = await Promise.all(all)
    expect(asked.map(({ items }) => items)).toEqual([[1, 2], [3, 4], [5]])
    expect(results.map(({ answer, position }) => `${answer}, position ${position}`)).toEqual([
      'answer 0, position 1',
      'answer 0, position 2',
      'answer 1, position 1',
      'answer 1, position 2',
      'answer 2, position 1',
    ])
  })

  test('do not wait for those who ask something else', async () => {
    const { asked, ask } = openQuestion()
    const batch = createBatcher<number, string>()
    const both = [batch('a', 8, ask), batch('b', 9, ask)]
    await turn()
    expect(asked).toHaveLength(2)
    for (const { answer } of asked) answer('one')
    expect(await Promise.all(both)).toHaveLength(2)
  })

  test('fail with the question that they waited for, and the next one starts afresh', async () => {
    const { asked, ask } = openQuestion()
    const batch = createBatcher<number, string>()
    const failing = [batch('a', 10, ask)]
    await turn()
    failing.push(batch('a', 11, ask))
    const results = Promise.allSettled(failing)
    asked[0]?.fail(new Error('away'))
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(asked).toHaveLength(1)
    const next = batch('a', 12, ask)
    await turn()
    asked[1]?.answer('back')
    expect((await next).answer).toBe('back')
  })
})

import { describe, expect, test } from 'vitest'
import { createDataLoader } from './data-loader.ts'

type Asked = {
  group: string
  keys: readonly number[]
  answer: PromiseWithResolvers<readonly string[]>
}

/** A loader whose loads are completed by the test. */
function openLoader(options: { maxKeys?: number; maxConcurrent?: number } = {}) {
  const asked: Asked[] = []
  const find = createDataLoader<number, string>({
    load: (keys, group) => {
      const answer = Promise.withResolvers<readonly string[]>()
      asked.push({ group, keys, answer })
      return answer.promise
    },
    ...options,
  })
  return {
    asked,
    find,
    end: (read: number) => asked[read]?.answer.resolve(textsOf(asked[read].keys)),
  }
}

const textsOf = (keys: readonly number[]) => keys.map((key) => `value ${key}`)
const turn = () => new Promise((resolve) => setImmediate(resolve))
const keysOf = (asked: readonly Asked[]) => asked.map(({ keys }) => keys)

describe('a data loader', () => {
  test('loads keys requested in one turn together', async () => {
    const { asked, find, end } = openLoader()
    const values = [1, 2, 1].map((key) => find(key))
    await turn()
    expect(keysOf(asked)).toEqual([[1, 2, 1]])
    end(0)
    expect(await Promise.all(values)).toEqual(['value 1', 'value 2', 'value 1'])
  })

  test('waits while the maximum number of loads is running', async () => {
    const { asked, find, end } = openLoader()
    const values: Promise<string>[] = []
    for (const key of [1, 2, 3, 4]) {
      values.push(find(key))
      await turn()
    }
    expect(keysOf(asked)).toEqual([[1], [2]])
    end(1)
    await values[1]
    await turn()
    expect(keysOf(asked)).toEqual([[1], [2], [3, 4]])
    end(0)
    end(2)
    expect(await Promise.all(values)).toEqual([1, 2, 3, 4].map((key) => `value ${key}`))
  })

  test('splits many keys into several loads', async () => {
    const { asked, find, end } = openLoader({ maxKeys: 2, maxConcurrent: 1 })
    const values = [1, 2, 3].map((key) => find(key))
    await turn()
    end(0)
    await values[0]
    await turn()
    end(1)
    expect(await Promise.all(values)).toEqual(textsOf([1, 2, 3]))
    expect(keysOf(asked)).toEqual([[1, 2], [3]])
  })

  test('rejects all keys of a failed load and loads later ones again', async () => {
    const { asked, find, end } = openLoader()
    const values = Promise.allSettled([1, 2].map((key) => find(key)))
    await turn()
    asked[0]?.answer.reject(new Error('away'))
    expect((await values).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    const later = find(3)
    await turn()
    end(1)
    expect(await later).toBe('value 3')
  })

  test('loads each group separately without waiting for others', async () => {
    const { asked, find, end } = openLoader({ maxConcurrent: 1 })
    const values = [find(1, 'a'), find(2, 'b'), find(3, 'a')]
    await turn()
    expect(asked.map(({ keys, group }) => [group, keys])).toEqual([
      ['a', [1, 3]],
      ['b', [2]],
    ])
    const behind = find(4, 'b')
    asked[1]?.answer.reject(new Error('away'))
    end(0)
    expect((await Promise.allSettled([...values, behind])).map(({ status }) => status)).toEqual([
      ...['fulfilled', 'rejected', 'fulfilled', 'rejected'],
    ])
  })

  test('rejects waiting keys when a load fails', async () => {
    const { asked, find } = openLoader({ maxConcurrent: 1 })
    const first = find(1)
    await turn()
    const values = Promise.allSettled([first, find(2)])
    asked[0]?.answer.reject(new Error('away'))
    expect((await values).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await turn()
    expect(keysOf(asked)).toEqual([[1]])
  })
})

import { describe, expect, test } from 'vitest'
import { createDataLoader } from './data-loader.ts'

type Load = {
  group: string
  keys: readonly number[]
  answer: PromiseWithResolvers<readonly string[]>
}

/** Creates a loader whose loads the test completes. */
function openLoader(options: { maxKeys?: number; maxConcurrent?: number } = {}) {
  const loads: Load[] = []
  const find = createDataLoader<number, string>({
    load: (keys, group) => {
      const answer = Promise.withResolvers<readonly string[]>()
      loads.push({ group, keys, answer })
      return answer.promise
    },
    ...options,
  })
  return {
    loads,
    find,
    end: (read: number) => loads[read]?.answer.resolve(textsOf(loads[read].keys)),
  }
}

const textsOf = (keys: readonly number[]) => keys.map((key) => `value ${key}`)
const yieldToEventLoop = () => new Promise((resolve) => setImmediate(resolve))
const keysOf = (loads: readonly Load[]) => loads.map(({ keys }) => keys)

describe('a data loader', () => {
  test('loads keys requested in one turn together', async () => {
    const { loads, find, end } = openLoader()
    const values = [1, 2, 1].map((key) => find(key))
    await yieldToEventLoop()
    expect(keysOf(loads)).toEqual([[1, 2, 1]])
    end(0)
    expect(await Promise.all(values)).toEqual(['value 1', 'value 2', 'value 1'])
  })

  test('waits while the maximum number of loads is running', async () => {
    const { loads, find, end } = openLoader()
    const values: Promise<string>[] = []
    for (const key of [1, 2, 3, 4]) {
      values.push(find(key))
      await yieldToEventLoop()
    }
    expect(keysOf(loads)).toEqual([[1], [2]])
    end(1)
    await values[1]
    await yieldToEventLoop()
    expect(keysOf(loads)).toEqual([[1], [2], [3, 4]])
    end(0)
    end(2)
    expect(await Promise.all(values)).toEqual([1, 2, 3, 4].map((key) => `value ${key}`))
  })

  test('splits many keys into several loads', async () => {
    const { loads, find, end } = openLoader({ maxKeys: 2, maxConcurrent: 1 })
    const values = [1, 2, 3].map((key) => find(key))
    await yieldToEventLoop()
    end(0)
    await values[0]
    await yieldToEventLoop()
    end(1)
    expect(await Promise.all(values)).toEqual(textsOf([1, 2, 3]))
    expect(keysOf(loads)).toEqual([[1, 2], [3]])
  })

  test('rejects all keys of a failed load and loads later keys', async () => {
    const { loads, find, end } = openLoader()
    const values = Promise.allSettled([1, 2].map((key) => find(key)))
    await yieldToEventLoop()
    loads[0]?.answer.reject(new Error('away'))
    expect((await values).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    const later = find(3)
    await yieldToEventLoop()
    end(1)
    expect(await later).toBe('value 3')
  })

  test('loads each group separately without waiting for others', async () => {
    const { loads, find, end } = openLoader({ maxConcurrent: 1 })
    const values = [find(1, 'a'), find(2, 'b'), find(3, 'a')]
    await yieldToEventLoop()
    expect(loads.map(({ keys, group }) => [group, keys])).toEqual([
      ['a', [1, 3]],
      ['b', [2]],
    ])
    const behind = find(4, 'b')
    loads[1]?.answer.reject(new Error('away'))
    end(0)
    expect((await Promise.allSettled([...values, behind])).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
    ])
  })

  test('rejects waiting keys when a load fails', async () => {
    const { loads, find } = openLoader({ maxConcurrent: 1 })
    const first = find(1)
    await yieldToEventLoop()
    const values = Promise.allSettled([first, find(2)])
    loads[0]?.answer.reject(new Error('away'))
    expect((await values).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await yieldToEventLoop()
    expect(keysOf(loads)).toEqual([[1]])
  })
})

import { describe, expect, test } from 'vitest'
import { createDataLoader } from './data-loader.ts'

type Load = {
  group: string
  keys: readonly number[]
  result: PromiseWithResolvers<readonly string[]>
}

/** Creates a loader whose loads the test completes. */
function openLoader(options: { maxKeys?: number; maxConcurrent?: number } = {}) {
  const loads: Load[] = []
  const find = createDataLoader<number, string>({
    load: (keys, group) => {
      const result = Promise.withResolvers<readonly string[]>()
      loads.push({ group, keys, result })
      return result.promise
    },
    ...options,
  })
  return {
    loads,
    find,
    complete: (index: number) => loads[index]?.result.resolve(createTexts(loads[index].keys)),
  }
}

const createTexts = (keys: readonly number[]) => keys.map((key) => `value ${key}`)
const yieldToEventLoop = () => new Promise((resolve) => setImmediate(resolve))
const listKeys = (loads: readonly Load[]) => loads.map(({ keys }) => keys)

describe('a data loader', () => {
  test('loads keys requested in one turn together', async () => {
    const { loads, find, complete } = openLoader()
    const values = [1, 2, 1].map((key) => find(key))
    await yieldToEventLoop()
    expect(listKeys(loads)).toEqual([[1, 2, 1]])
    complete(0)
    expect(await Promise.all(values)).toEqual(['value 1', 'value 2', 'value 1'])
  })

  test('waits while the maximum number of loads is running', async () => {
    const { loads, find, complete } = openLoader()
    const values: Promise<string>[] = []
    for (const key of [1, 2, 3, 4]) {
      values.push(find(key))
      await yieldToEventLoop()
    }
    expect(listKeys(loads)).toEqual([[1], [2]])
    complete(1)
    await values[1]
    await yieldToEventLoop()
    expect(listKeys(loads)).toEqual([[1], [2], [3, 4]])
    complete(0)
    complete(2)
    expect(await Promise.all(values)).toEqual([1, 2, 3, 4].map((key) => `value ${key}`))
  })

  test('splits many keys into several loads', async () => {
    const { loads, find, complete } = openLoader({ maxKeys: 2, maxConcurrent: 1 })
    const values = [1, 2, 3].map((key) => find(key))
    await yieldToEventLoop()
    complete(0)
    await values[0]
    await yieldToEventLoop()
    complete(1)
    expect(await Promise.all(values)).toEqual(createTexts([1, 2, 3]))
    expect(listKeys(loads)).toEqual([[1, 2], [3]])
  })

  test('rejects all keys of a failed load and loads later keys', async () => {
    const { loads, find, complete } = openLoader()
    const values = Promise.allSettled([1, 2].map((key) => find(key)))
    await yieldToEventLoop()
    loads[0]?.result.reject(new Error('broken'))
    expect((await values).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    const later = find(3)
    await yieldToEventLoop()
    complete(1)
    expect(await later).toBe('value 3')
  })

  test('loads each group separately without waiting for others', async () => {
    const { loads, find, complete } = openLoader({ maxConcurrent: 1 })
    const values = [find(1, 'a'), find(2, 'b'), find(3, 'a')]
    await yieldToEventLoop()
    expect(loads.map(({ keys, group }) => [group, keys])).toEqual([
      ['a', [1, 3]],
      ['b', [2]],
    ])
    const waiting = find(4, 'b')
    loads[1]?.result.reject(new Error('broken'))
    complete(0)
    expect((await Promise.allSettled([...values, waiting])).map(({ status }) => status)).toEqual([
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
    loads[0]?.result.reject(new Error('broken'))
    expect((await values).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await yieldToEventLoop()
    expect(listKeys(loads)).toEqual([[1]])
  })
})

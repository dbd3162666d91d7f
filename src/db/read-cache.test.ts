import { describe, expect, test } from 'vitest'
import { AppError } from '../errors.ts'
import { createReadCache } from './read-cache.ts'

type Row = { text: string }

/**
 * Creates a cache over an in-memory table. `state` counts its reads. They fail while `isDown` is
 * true, and wait for the promise `delay`.
 */
function createTestCache(options: { maxWaitMs?: number } = {}) {
  const table = new Map<string, Row>([['a', { text: 'one' }]])
  const state = { reads: 0, now: 0, isDown: false, delay: undefined as Promise<void> | undefined }
  const cache = createReadCache<Row>({
    max: 10,
    monotonic: () => state.now,
    async load(key) {
      state.reads += 1
      const row = table.get(key) ?? null
      if (state.isDown) throw new AppError('database_unavailable')
      await state.delay
      return row
    },
    ...options,
  })
  return { cache, table, state }
}

test('the cache reads a value once and then returns it from memory', async () => {
  const { cache, state } = createTestCache()
  expect(cache.peek('a')).toBeUndefined()
  expect(await cache.get('a')).toEqual({ text: 'one' })
  expect(await cache.get('a')).toEqual({ text: 'one' })
  expect(cache.peek('a')).toEqual({ text: 'one' })
  expect(state.reads).toBe(1)
})

test('the cache keeps recently used values when full', async () => {
  const { cache, table, state } = createTestCache()
  const keys = Array.from({ length: 13 }, (_, index) => `key ${index}`)
  for (const key of keys) table.set(key, { text: key })
  for (const key of keys.slice(0, 10)) await cache.get(key)
  expect(cache.peek('key 0')).toEqual({ text: 'key 0' })
  expect(await cache.get('key 2')).toEqual({ text: 'key 2' })
  for (const key of keys.slice(10)) await cache.get(key)
  expect(keys.filter((key) => !cache.peek(key))).toEqual(['key 1', 'key 3', 'key 4'])
  expect([cache.size, state.reads]).toEqual([10, 13])
})

test('the cache shares one read between concurrent callers', async () => {
  const { cache, state } = createTestCache()
  const values = await Promise.all(Array.from({ length: 50 }, () => cache.get('a')))
  expect(values.every((value) => value?.text === 'one')).toBe(true)
  expect(state.reads).toBe(1)
})

test('the cache reads an invalidated value again', async () => {
  const { cache, table } = createTestCache()
  await cache.get('a')
  table.set('a', { text: 'two' })
  cache.invalidate('a')
  expect(await cache.get('a')).toEqual({ text: 'two' })
})

test('the cache does not cache a value that changes while it is read', async () => {
  const { cache, table, state } = createTestCache()
  let release = () => {}
  state.delay = new Promise((resolve) => {
    release = resolve
  })
  const pending = cache.get('a')
  table.set('a', { text: 'two' })
  cache.invalidate('a')
  release()
  expect(await pending).toEqual({ text: 'one' })
  expect(await cache.get('a')).toEqual({ text: 'two' })
})

test('the cache reads an absent value again', async () => {
  const { cache, table } = createTestCache()
  expect(await cache.get('b')).toBeNull()
  table.set('b', { text: 'new' })
  expect(await cache.get('b')).toEqual({ text: 'new' })
})

test('the cache keeps values for five seconds while notifications may be missed', async () => {
  const { cache, table, state } = createTestCache()
  await cache.get('a')
  cache.setSubscribed(false)
  expect(cache.peek('a')).toBeUndefined()
  await cache.get('a')
  table.set('a', { text: 'two' })
  state.now = 4999
  expect(await cache.get('a')).toEqual({ text: 'one' })
  state.now = 5000
  expect(await cache.get('a')).toEqual({ text: 'two' })
})

test('without the database, the cache returns outdated values and rejects unknown keys', async () => {
  const { cache, state } = createTestCache()
  await cache.get('a')
  state.isDown = true
  cache.setSubscribed(false)
  expect(await cache.get('a')).toEqual({ text: 'one' })
  await expect(cache.get('b')).rejects.toMatchObject({ code: 'database_unavailable' })
  state.isDown = false
  // The next attempt is allowed 500 ms after a failure.
  state.now = 501
  expect(await cache.get('b')).toBeNull()
  cache.setSubscribed(true)
  expect(await cache.get('a')).toEqual({ text: 'one' })
})

test('a slow database does not delay cached values', async () => {
  const { cache, state } = createTestCache({ maxWaitMs: 1 })
  await cache.get('a')
  cache.invalidateAll()
  state.delay = new Promise(() => {})
  expect(await cache.get('a')).toEqual({ text: 'one' })
})

describe('invalidation of several values', () => {
  function createTaggedCache() {
    const loads: string[] = []
    const cache = createReadCache<{ tags: string[] }>({
      max: 3,
      load: async (key) => {
        loads.push(key)
        return { tags: key.split(' ').slice(1) }
      },
      tagsOf: ({ tags }) => tags,
    })
    const filterCached = (...keys: string[]) => keys.filter((key) => cache.peek(key))
    return { cache, loads, filterCached }
  }

  test('removes values with the tag', async () => {
    const { cache, filterCached } = createTaggedCache()
    for (const key of ['a x', 'b x y', 'c']) await cache.get(key)
    cache.invalidateTagged('y')
    expect(filterCached('a x', 'b x y', 'c')).toEqual(['a x', 'c'])
    cache.invalidateTagged('x')
    cache.invalidateTagged('x')
    expect(filterCached('a x', 'b x y', 'c')).toEqual(['c'])
    await cache.get('a x')
    cache.invalidateTagged('nothing')
    expect(filterCached('a x', 'c')).toEqual(['a x', 'c'])
  })

  test('works after other values were evicted', async () => {
    const { cache, filterCached } = createTaggedCache()
    for (const key of ['a x', 'b x', 'c x', 'd x', 'a x']) await cache.get(key)
    expect(filterCached('a x', 'b x', 'c x', 'd x')).toEqual(['a x', 'c x', 'd x'])
    cache.invalidateTagged('x')
    expect(cache.size).toBe(0)
  })

  test('removes matching values', async () => {
    const { cache, filterCached } = createTaggedCache()
    for (const key of ['a x', 'b', 'c x']) await cache.get(key)
    cache.invalidateWhere(({ tags }) => tags.length > 0)
    expect(filterCached('a x', 'b', 'c x')).toEqual(['b'])
  })

  test('includes reads in progress', async () => {
    for (const invalidate of ['invalidateTagged', 'invalidateWhere'] as const) {
      const { cache, loads, filterCached } = createTaggedCache()
      const reading = cache.get('a x')
      if (invalidate === 'invalidateTagged') cache.invalidateTagged('x')
      else cache.invalidateWhere(() => true)
      await reading
      expect(filterCached('a x')).toEqual([])
      await cache.get('a x')
      expect(loads).toEqual(['a x', 'a x'])
    }
  })
})

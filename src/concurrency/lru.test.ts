import { expect, test } from 'vitest'
import { createLru } from './memo.ts'

test('an LRU cache keeps recently used values and reports evictions', () => {
  const evicted: [string, number][] = []
  const values = createLru<string, number>({
    max: 3,
    dispose: (value, key) => evicted.push([key, value]),
  })
  values.set('a', 1).set('b', 2).set('c', 3)
  expect(values.get('a')).toBe(1)
  values.set('d', 4)
  expect(evicted).toEqual([['b', 2]])
  expect([...values.keys()]).toEqual(['d', 'a', 'c'])
  values.set('c', 5).set('e', 6)
  expect([...values.entries()]).toEqual([
    ['e', 6],
    ['c', 5],
    ['d', 4],
  ])
  values.delete('c')
  values.set('f', 7).set('g', 8)
  expect([...values.keys()]).toEqual(['g', 'f', 'e'])
  values.clear()
  expect(values.size).toBe(0)
})

test('an LRU cache allocates memory only as values are added', () => {
  const before = process.memoryUsage().arrayBuffers
  const values = createLru<number, number>({ max: 10_000_000 })
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000)
  for (let key = 0; key < 1000; key += 1) values.set(key, key)
  expect(values.size).toBe(1000)
})

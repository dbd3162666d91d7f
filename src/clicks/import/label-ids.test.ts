import { expect, onTestFinished, test, vi } from 'vitest'
import { createMockDatabase } from '../../../test/support/mock-database.ts'
import { createLabelIds } from './label-ids.ts'

test('label names are cached until the cache is full, which clears it', async () => {
  const { db, queries } = createLabelDatabase()
  const labels = createLabelIds(db)
  const all = Array.from({ length: 200_000 }, (_, index) => `name ${index}`)
  expect((await labels.find(all)).size).toBe(all.length)
  expect((await labels.find(['name 7', 'name 199999'])).get('name 7')).toBe('name 7'.length)
  expect(queries).toHaveLength(1)
  await labels.find(['one more'])
  await labels.find(['name 7', 'one more'])
  expect(queries.slice(1)).toEqual([['one more'], ['name 7']])
})

test('label names are looked up again after an hour, because unused labels are deleted', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { db, queries } = createLabelDatabase()
  const labels = createLabelIds(db)
  await labels.find(['name'])
  vi.advanceTimersByTime(3_600_000)
  await labels.find(['name'])
  expect(queries).toHaveLength(1)
  vi.advanceTimersByTime(1)
  await labels.find(['name'])
  expect(queries).toHaveLength(2)
})

/** Creates a mock database that uses the length of a name as its ID. */
function createLabelDatabase() {
  const queries: string[][] = []
  const db = createMockDatabase(([parameter]) => {
    const names = parameter as string[]
    queries.push(names)
    return names.map((name) => ({ id: name.length, name }))
  })
  return { db, queries }
}

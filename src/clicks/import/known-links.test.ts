import { expect, test } from 'vitest'
import { createMockDatabase } from '../../../test/support/mock-database.ts'
import { createKnownLinks } from './known-links.ts'

test('caches links until the cache is full and cleared', async () => {
  const { db, answers } = countingDatabase()
  const links = createKnownLinks(db)
  const many = Array.from({ length: 500_000 }, (_, index) => index + 1)
  answers.push([7], many, [7])

  for (const _ of [1, 2]) expect((await links.ensure(new Set([7]))).has(7)).toBe(true)
  expect(answers).toHaveLength(2)
  expect((await links.ensure(new Set(many))).size).toBe(many.length)
  expect((await links.ensure(new Set([7]))).size).toBe(1)
  expect(answers).toEqual([])
})

/** A mock database that answers queries about links, all of which have totals and the account 1. */
function countingDatabase() {
  const answers: number[][] = []
  const db = createMockDatabase(() => {
    const numbers = (answers.shift() ?? []).flatMap((id) => [BigInt(id), 1n, 1n])
    return [{ rows: Buffer.from(BigInt64Array.from(numbers).buffer).swap64() }]
  })
  return { db, answers }
}

import { expect, test } from 'vitest'
import { createMockDatabase } from '../../../test/support/mock-database.ts'
import { createKnownLinks } from './known-links.ts'

test('known links are cached until the cache is full, which clears it', async () => {
  const { db, responses } = createLinkDatabase()
  const links = createKnownLinks(db)
  // As many as the cache holds.
  const many = Array.from({ length: 500_000 }, (_, index) => index + 1)
  responses.push([7], many, [7])

  for (const _ of [1, 2]) expect((await links.ensure(new Set([7]))).has(7)).toBe(true)
  expect(responses).toHaveLength(2)
  expect((await links.ensure(new Set(many))).size).toBe(many.length)
  expect((await links.ensure(new Set([7]))).size).toBe(1)
  expect(responses).toEqual([])
})

/**
 * Creates a mock database. Its first query returns the first list of link IDs in `responses`, and
 * so on. All links belong to account 1 and have totals.
 */
function createLinkDatabase() {
  const responses: number[][] = []
  const db = createMockDatabase(() => {
    const numbers = (responses.shift() ?? []).flatMap((id) => [BigInt(id), 1n, 1n])
    return [{ rows: Buffer.from(BigInt64Array.from(numbers).buffer).swap64() }]
  })
  return { db, responses }
}

import { expect, test } from 'vitest'
import { answeringDatabase } from '../../../test/support/answering-database.ts'
import { createKnownLinks } from './known-links.ts'

test('caches links until the cache is full and cleared', async () => {
  const { db, answers } = countingDatabase()
  const links = createKnownLinks(db)
  const many = Array.from({ length: 500_000 }, (_, index) => index + 1)
  // Each link is looked up in the totals and then with its account.
  answers.push([7], [7], many, many, [7], [7])

  for (const _ of [1, 2]) expect((await links.ensure(new Set([7]))).has(7)).toBe(true)
  expect(answers).toHaveLength(4)
  expect((await links.ensure(new Set(many))).size).toBe(many.length)
  expect((await links.ensure(new Set([7]))).size).toBe(1)
  expect(answers).toEqual([])
})

/** A mock database that answers queries about links. */
function countingDatabase() {
  const answers: number[][] = []
  const db = answeringDatabase(() =>
    (answers.shift() ?? []).map((id) => ({ id, link_id: id, account_id: 1 })),
  )
  return { db, answers }
}

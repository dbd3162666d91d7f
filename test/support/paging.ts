import { expect } from 'vitest'
import type { Owner } from './make.ts'

type Pages = {
  owner: Owner
  otherOwner: Owner
  /** The key of the entries in `data`. */
  key: string
  make: (owner: Owner) => Promise<{ id: number }>
  remove: (id: number, owner: Owner) => Promise<unknown>
  list: (owner: Owner, query: string) => Promise<Record<string, unknown>>
}

/**
 * Expects a list to return the items that an owner creates, newest first and on pages with correct
 * totals, also past the end and after removals. Expects an empty list for another owner.
 */
export async function expectPages({ owner, otherOwner, key, make, remove, list }: Pages) {
  const ids: number[] = []
  for (let i = 0; i < 5; i += 1) ids.unshift((await make(owner)).id)
  const listPage = async (query: string, reader = owner) => {
    const { [key]: entries, ...counters } = await list(reader, query)
    return [counters, (entries as { id: number }[]).map(({ id }) => id)]
  }
  const counters = { result: 5, perpage: 2, maxpage: 3 }
  for (const [currentpage, nextpage, shown] of [
    [1, 2, ids.slice(0, 2)],
    [2, 3, ids.slice(2, 4)],
    [3, 3, ids.slice(4)],
    [4, 3, []],
    [9, 3, []],
  ] as const) {
    const expected = [{ ...counters, currentpage, nextpage }, shown]
    expect(await listPage(`?limit=2&page=${currentpage}`)).toEqual(expected)
  }
  expect(await listPage('?limit=2')).toEqual(await listPage('?limit=2&page=1'))

  for (const deletedId of [ids[2], ids[0], ids[4]]) {
    await remove(deletedId ?? 0, owner)
    ids.splice(ids.indexOf(deletedId ?? 0), 1)
    const single = { result: ids.length, perpage: 15, currentpage: 1, nextpage: 1, maxpage: 1 }
    expect(await listPage('')).toEqual([single, ids])
    const second = { result: ids.length, perpage: 2, maxpage: Math.ceil(ids.length / 2) }
    expect(await listPage('?limit=2&page=2')).toEqual([
      { ...second, currentpage: 2, nextpage: second.maxpage },
      ids.slice(2),
    ])
  }
  expect(await listPage('', otherOwner)).toEqual([
    { result: 0, perpage: 15, currentpage: 1, nextpage: 1, maxpage: 1 },
    [],
  ])
}

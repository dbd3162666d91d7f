import { randomInt } from 'node:crypto'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { LinkEntry } from './link.ts'
import type { LinkOrder } from './lists/link-sort.queries.ts'

/** Which of an account's links to select: most clicks, fewest clicks, newest, or random. */
export type Choice = 'top' | 'bottom' | 'last' | 'random'

type List = (readPage: PageQuery & { order: LinkOrder }) => Promise<Page<LinkEntry>>

/**
 * Random links are read from this many slices of the list, because reading each one separately
 * would be slow.
 */
const SLICES = 10

/** Selects some of the links that `list` returns. Returns them and the total number of links. */
export async function selectRankedLinks(
  list: List,
  { choice, limit, offset }: PageQuery & { choice: Choice },
): Promise<Page<LinkEntry>> {
  const { total } = await list({ order: 'date', limit: 1, offset: 0 })
  return { total, entries: limit > 0 ? await selectEntries() : [] }

  function selectEntries(): Promise<LinkEntry[]> {
    switch (choice) {
      case 'top':
        return readPage('click', offset, limit)
      case 'last':
        return readPage('date', offset, limit)
      case 'bottom': {
        const end = Math.max(0, total - offset)
        const start = Math.max(0, end - limit)
        return readPage('click', start, end - start).then((links) => links.reverse())
      }
      case 'random':
        return sampleLinks()
    }
  }

  async function readPage(order: LinkOrder, from: number, size: number): Promise<LinkEntry[]> {
    return size > 0 ? (await list({ order, limit: size, offset: from })).entries : []
  }

  /** Reads a page at a random position from each slice of the list, and shuffles their links. */
  async function sampleLinks(): Promise<LinkEntry[]> {
    const count = Math.min(limit, total)
    const slices = Math.min(SLICES, count)
    const sampled: LinkEntry[] = []
    const share = (all: number, slice: number) => Math.floor((all * slice) / slices)
    for (let slice = 0; slice < slices; slice += 1) {
      const from = share(total, slice)
      const size = share(count, slice + 1) - share(count, slice)
      const spare = share(total, slice + 1) - from - size
      sampled.push(...(await readPage('date', from + randomInt(Math.max(0, spare) + 1), size)))
    }
    return shuffle(sampled)
  }
}

function shuffle<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, key: randomInt(2 ** 32) }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item)
}

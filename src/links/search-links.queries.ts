import type { PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import type { LinkCriteria } from './link-filter.ts'
import { conditionsOf } from './search-conditions.queries.ts'
import { countMatches } from './search-count.queries.ts'
import { mostClickedFirst, walkByClicks, walkByDate, walkTag } from './search-walk.queries.ts'

export type Search = {
  accountId: number
  criteria: LinkCriteria
  order: 'date' | 'click'
  /** Decides what has expired. */
  now: Date
}

/** Matches that are put in order here; with more of them the database walks to the page. */
const FEW = 5000

/**
 * The ids of the links on a page of those that meet criteria, and how many do. Where few match, that
 * is what counting them gives; where more than `few` do, a page is soon found by walking the list.
 */
export async function searchLinks(
  db: Db,
  { accountId, criteria, order, now }: Search,
  page: PageQuery,
  few = FEW,
): Promise<{ ids: number[]; total: number }> {
  const conditions = await conditionsOf(db, accountId, criteria, now)
  if (!conditions) return { ids: [], total: 0 }
  const { total, ids } = await countMatches(db, conditions, few)
  if (page.offset >= total) return { ids: [], total }
  const { tagIdAlone } = conditions
  const newest = async (part: PageQuery) => {
    if (ids) return ids.sort((a, b) => b - a).slice(part.offset, part.offset + part.limit)
    return tagIdAlone === undefined
      ? walkByDate(db, conditions, part, total)
      : walkTag(db, tagIdAlone, part, total)
  }
  if (order === 'date') return { ids: await newest(page), total }
  if (total > few) return { ids: await walkByClicks(db, conditions, page), total }
  const clicked = await mostClickedFirst(db, await newest({ limit: total, offset: 0 }))
  return { ids: clicked.slice(page.offset, page.offset + page.limit), total }
}

import { sql } from 'kysely'
import { unscoped } from '../../db/account-rows.ts'
import { isStatementTimeout } from '../../db/errors.ts'
import type { AccountScope } from '../../scope.ts'
import type { Condition } from '../link-filter.ts'

export type ScanOptions = {
  /** Only links with smaller ids. */
  before?: number | undefined
  /** The number of matches after which to stop. */
  maxMatches: number
  /** Whether to return the newest matches. Otherwise, several processes may read a range. */
  isOrdered?: boolean
} & ScanLimits

/** Limits that tests lower. */
export type ScanLimits = { budgetMs?: number; rangeLinks?: number }

export type ScanResult = {
  ids: number[]
  /** If not all links were read: all those with this id and above were. */
  readTo?: number
}

/** A scan does not start another range after this many milliseconds. */
const BUDGET_MS = 3000
/** Links per statement: the number to start with, and the limits. */
const FIRST_RANGE = 100_000
const MAX_RANGE = 1_000_000
const MIN_RANGE = 1000
/** Ranges grow until a statement takes this many milliseconds. */
const GOOD_MS = 250

/**
 * Finds links of an account that match a condition, range by range, those that arrived last first.
 * Ends after the last range, with enough matches, or when the time is over, so that it succeeds for
 * accounts of any size. A range that takes too long is read in smaller parts.
 */
export async function scanLinks(
  scope: AccountScope,
  where: Condition,
  {
    before = Number.MAX_SAFE_INTEGER,
    maxMatches,
    isOrdered = false,
    budgetMs = BUDGET_MS,
    rangeLinks = FIRST_RANGE,
  }: ScanOptions,
): Promise<ScanResult> {
  const startedAt = performance.now()
  const ids: number[] = []
  // A page of links that all match is found in the first range.
  let size = isOrdered ? Math.max(MIN_RANGE, 2 * maxMatches) : rangeLinks
  for (let end = before; ; ) {
    const rangeStartedAt = performance.now()
    const limit = maxMatches - ids.length
    try {
      const start = await findStart(scope, end, size)
      const range = { start, end, limit, isOrdered }
      const found = await readRange(scope, where, range)
      ids.push(...found)
      const isFull = found.length === limit
      if (isFull && isOrdered) return { ids, readTo: found.at(-1) as number }
      if (start === 0) return { ids }
      if (isFull || performance.now() - startedAt > budgetMs) return { ids, readTo: start }
      end = start
      if (performance.now() - rangeStartedAt < GOOD_MS) size = Math.min(4 * size, MAX_RANGE)
    } catch (error) {
      if (!isStatementTimeout(error) || size === MIN_RANGE) throw error
      size = Math.max(MIN_RANGE, Math.floor(size / 4))
    }
  }
}

/** Returns the id at which a range of `size` links before `end` starts, or 0 if it has fewer. */
async function findStart(scope: AccountScope, end: number, size: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select id from links where account_id = ${scope.accountId} and kind = 'link' and id < ${end}
    order by account_id desc, id desc limit 1 offset ${size - 1}`.execute(unscoped(scope))
  return rows[0]?.id ?? 0
}

async function readRange(
  scope: AccountScope,
  where: Condition,
  {
    start,
    end,
    limit,
    isOrdered,
  }: { start: number; end: number; limit: number; isOrdered: boolean },
): Promise<number[]> {
  const order = isOrdered ? sql`order by account_id desc, id desc` : sql``
  const { rows } = await sql<{ id: number }>`
    select id from links where account_id = ${scope.accountId} and kind = 'link'
      and id >= ${start} and id < ${end} and ${where}
    ${order} limit ${limit}`.execute(unscoped(scope))
  return rows.map(({ id }) => id)
}

import { sql } from 'kysely'
import type { Db } from '../../db/pool.ts'
import type { Tx } from '../../db/transaction.ts'
import type { Broken } from '../link.ts'
import type { Problem } from './verdict.ts'

/** The maximum number of destinations checked per link. The link's own destination is first. */
const MAX_DESTINATIONS = 20

export type DueLink = {
  id: number
  accountId: number
  destinations: readonly string[]
  /** Whether the server asked in the last check to be checked again later. */
  wasPostponed: boolean
}

/**
 * Returns the due links among the next `limit` links after an id, skipping inactive links. Also
 * returns the id of the last link read, or 0 at the end.
 */
export async function readDueLinks(
  db: Db,
  { after, limit, now }: { after: number; limit: number; now: Date },
): Promise<{ due: DueLink[]; last: number }> {
  const { rows } = await sql<DueLink & { due: boolean }>`
    select l.id, l.account_id as "accountId", coalesce(c.postponed, false) as "wasPostponed",
      coalesce(c.next_at, ${now}) <= ${now} and l.kind = 'link' and l.status = 'active'
        and coalesce(l.ends_at, 'infinity') > ${now}
        and coalesce(l.starts_at, '-infinity') <= ${now} and a.suspended_at is null as due,
      array[l.url] || array(
        select entry ->> 'to'
        from jsonb_array_elements(l.split || l.rules) with ordinality as t (entry, position)
        order by position limit ${MAX_DESTINATIONS - 1}) as destinations
    from (select * from links where id > ${after} order by id limit ${limit}) as l
    join accounts a on a.id = l.account_id
    left join link_checks c on c.link_id = l.id
    order by l.id`.execute(db)
  return {
    due: rows.filter(({ due }) => due),
    last: rows.length < limit ? 0 : (rows.at(-1)?.id ?? 0),
  }
}

type CheckTimes = {
  id: number
  now: Date
  next: Date
}

/** Records that all destinations of a link work. */
export async function storeSuccess(db: Db, { id, now, next }: CheckTimes): Promise<void> {
  await sql`
    insert into link_checks (link_id, checked_at, next_at)
    select id, ${now}, ${next} from links where id = ${id}
    on conflict (link_id) do update set checked_at = excluded.checked_at, next_at = excluded.next_at,
      failed_at = null, broken_at = null, problem = null, destination = null, postponed = false
  `.execute(db)
}

/** Records that a server asked to be checked again at `next`. */
export async function storePostponement(db: Db, { id, now, next }: CheckTimes): Promise<void> {
  await sql`
    insert into link_checks (link_id, checked_at, next_at, postponed)
    select id, ${now}, ${next}, true from links where id = ${id}
    on conflict (link_id) do update set checked_at = excluded.checked_at, next_at = excluded.next_at,
      postponed = true`.execute(db)
}

/**
 * Records a failure. Returns whether the link has just become broken: it has been failing since
 * `brokenSince` or earlier and was not broken before.
 */
export async function storeFailure(
  tx: Tx,
  {
    id,
    now,
    next,
    problem,
    destination,
    brokenSince,
  }: CheckTimes & { problem: Problem; destination: string; brokenSince: Date },
): Promise<boolean> {
  const { rows } = await sql<{ isNew: boolean }>`
    insert into link_checks as c (link_id, checked_at, next_at, failed_at, problem, destination)
    select id, ${now}, ${next}, ${now}, ${problem}, ${destination} from links where id = ${id}
    on conflict (link_id) do update set checked_at = excluded.checked_at, next_at = excluded.next_at,
      problem = excluded.problem, destination = excluded.destination, postponed = false,
      failed_at = coalesce(c.failed_at, excluded.failed_at),
      broken_at = coalesce(c.broken_at,
        case when c.failed_at <= ${brokenSince} then excluded.checked_at end)
    returning broken_at is not distinct from ${now} as "isNew"`.execute(tx)
  return rows[0]?.isNew === true
}

/** Deletes the checks of links whose destinations have changed. */
export async function deleteChecks(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await sql`delete from link_checks where link_id = any(${[...ids]}::bigint[])`.execute(tx)
}

/** Returns the installation's number of broken links that were checked in the last seven days. */
export async function countBroken(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from link_checks
    where broken_at is not null and checked_at > now() - interval '7 days'`.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * SQL condition on a row of `link_checks` that is true for broken links. Results older than a week
 * do not count, because the links may no longer be checked.
 */
export const isBroken = sql<boolean>`
  link_checks.broken_at is not null and link_checks.checked_at > now() - interval '7 days'`

/** The columns of `link_checks` in lists and details of links, apart from `isBroken`. */
export const BROKEN_COLUMNS = [
  'link_checks.failed_at',
  'link_checks.problem',
  'link_checks.destination',
] as const

export type BrokenRow = {
  failed_at: Date | null
  problem: string | null
  destination: string | null
}

export function toBroken({ failed_at, problem, destination }: BrokenRow): Broken | null {
  if (failed_at === null) return null
  return { since: failed_at, problem: problem as Problem, destination: destination ?? '' }
}

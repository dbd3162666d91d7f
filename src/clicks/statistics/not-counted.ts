import { sql } from 'kysely'
import type { Db } from '../../db/pool.ts'
import { OTHER_LABEL } from '../encoding/label-counts.ts'
import {
  createUncountedVisits,
  eachUncounted,
  type StoredVisits,
  UNCOUNTED_KINDS,
  type Uncounted,
  type UncountedKind,
} from '../encoding/uncounted-visits.ts'
import { formatDay, type Period } from './period.ts'
import { splitIntoChunks } from './periods.ts'
import type { ClickScope } from './scope.ts'

export type UncountedSums = { visits: number } & Record<UncountedKind, number>

/** Visits of a robot or, for prefetches and HEAD requests, of a browser. */
export type UncountedName = Uncounted & { visits: number }

/** The visits of a period that do not count as clicks. */
export type NotCounted = UncountedSums & {
  /** The most frequent names. The others of each kind are added up as `Other`, which comes last. */
  names: UncountedName[]
  /** The days with such visits, by UTC. */
  days: (UncountedSums & { day: string; names: UncountedName[] })[]
}

/**
 * Reads the visits of a period that do not count. They are stored by days of UTC, so the days of the
 * period are those of UTC in any time zone. Lists at most `limit` names.
 */
export async function readNotCounted(
  db: Db,
  { accountId, linkIds }: ClickScope,
  period: Pick<Period, 'from' | 'to'>,
  limit: number,
): Promise<NotCounted> {
  const total = createUncountedVisits<UncountedKind>()
  const days = new Map<number, ReturnType<typeof createUncountedVisits<UncountedKind>>>()
  const rows = linkIds
    ? readDaysOfLinks(db, linkIds, period)
    : [
        await readDays(
          db,
          'account_uncounted_days',
          { owner: 'account_id', ids: [accountId] },
          period,
        ),
      ]
  for await (const chunk of rows) {
    for (const { day, visits } of chunk) {
      const dayVisits = days.get(day) ?? createUncountedVisits<UncountedKind>()
      days.set(day, dayVisits)
      eachUncounted(visits, (uncounted, count) => {
        total.add(uncounted, count)
        dayVisits.add(uncounted, count)
      })
    }
  }
  const byDay = [...days].sort(([a], [b]) => a - b)
  return {
    ...sum(listNames(total)),
    names: shorten(listNames(total), limit),
    days: byDay.map(([day, visits]) => {
      const names = listNames(visits)
      return { day: formatDay(day), ...sum(names), names }
    }),
  }
}

function listNames({
  each,
}: ReturnType<typeof createUncountedVisits<UncountedKind>>): UncountedName[] {
  const names: UncountedName[] = []
  each((uncounted, visits) => names.push({ ...uncounted, visits }))
  return names.sort((a, b) => b.visits - a.visits || (a.name < b.name ? -1 : 1))
}

function sum(names: readonly UncountedName[]): UncountedSums {
  const sums = { visits: 0, preview: 0, crawler: 0, monitor: 0, prefetch: 0, head: 0 }
  for (const { kind, visits } of names) {
    sums[kind] += visits
    sums.visits += visits
  }
  return sums
}

function shorten(names: readonly UncountedName[], limit: number): UncountedName[] {
  const top = names.filter(({ name }) => name !== OTHER_LABEL).slice(0, limit)
  const [all, listed] = [sum(names), sum(top)]
  const others = UNCOUNTED_KINDS.map((kind) => ({
    kind,
    name: OTHER_LABEL,
    visits: all[kind] - listed[kind],
  }))
  return [...top, ...others.filter(({ visits }) => visits > 0)]
}

type DayRow = { day: number; visits: StoredVisits }

async function* readDaysOfLinks(
  db: Db,
  linkIds: readonly number[],
  period: Pick<Period, 'from' | 'to'>,
): AsyncGenerator<DayRow[], void> {
  for (const ids of splitIntoChunks(linkIds)) {
    yield await readDays(db, 'uncounted_days', { owner: 'link_id', ids }, period)
  }
}

async function readDays(
  db: Db,
  table: 'uncounted_days' | 'account_uncounted_days',
  { owner, ids }: { owner: 'link_id' | 'account_id'; ids: readonly number[] },
  { from, to }: Pick<Period, 'from' | 'to'>,
): Promise<DayRow[]> {
  const { rows } = await sql<DayRow>`
    select day - date '1970-01-01' as day, visits from ${sql.table(table)}
    where ${sql.ref(owner)} = any(${[...ids]}::bigint[])
      and day between date '1970-01-01' + ${from}::integer and date '1970-01-01' + ${to}::integer
  `.execute(db)
  return rows
}

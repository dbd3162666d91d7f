import { sql } from 'kysely'
import { int4Array } from '../../db/pg-binary.ts'
import type { Db } from '../../db/pool.ts'
import { startOfMonth } from '../storage/months.ts'
import { countRawClicks, readRawClicks } from '../storage/raw-clicks.queries.ts'

/** The number of rows read at a time. The packed labels of a row take up to tens of kilobytes. */
const PAGE_SIZE = 500
const DAY_MS = 86_400_000
/** The number of labels deleted or marked per statement. */
const LABELS_PER_STATEMENT = 5000

/** The tables with packed labels, and their key columns. */
const PACKED = {
  click_details: ['link_id'],
  click_days: ['link_id', 'day'],
  account_days: ['account_id', 'day'],
} as const

/**
 * Starts a round of checking for unused labels, unless one started within the last `days` days.
 * Returns whether it started one.
 */
export async function startRound(db: Db, days: number): Promise<boolean> {
  const started = await db
    .updateTable('instance')
    .set({ labels_checked_at: sql<Date>`now()` })
    .where(({ eb, or }) =>
      or([
        eb('labels_checked_at', 'is', null),
        eb('labels_checked_at', '<=', sql<Date>`now() - ${days} * interval '1 day'`),
      ]),
    )
    .executeTakeFirstOrThrow()
  return started.numUpdatedRows > 0n
}

/** Returns the highest label number, or 0 if there are no labels. */
export async function findLastLabel(db: Db): Promise<number> {
  const { id } = await db
    .selectFrom('labels')
    .select(({ fn }) => fn.max<number | null>('id').as('id'))
    .executeTakeFirstOrThrow()
  return id ?? 0
}

/** Yields the packed labels of every link, every day of a link and every day of an account. */
export async function* readPackedLabels(db: Db): AsyncGenerator<Buffer, void> {
  for (const [table, key] of Object.entries(PACKED)) {
    const columns = sql.join(key.map((name) => sql.ref(name)))
    // Reads days as text, because the driver would convert a date to a moment in the local time
    // zone.
    const texts = sql.join(key.map((name) => sql`${sql.ref(name)}::text`))
    // This key is before the keys of all rows.
    let last: readonly string[] = ['0', '-infinity'].slice(0, key.length)
    for (;;) {
      const values = sql.join(last.map((value) => sql`${value}`))
      const { rows } = await sql<{ key: string[]; labels: Buffer }>`
        select array[${texts}] as key, labels from ${sql.table(table)}
        where (${columns}) > (${values}) and labels is not null
        order by ${columns} limit ${PAGE_SIZE}`.execute(db)
      for (const { labels } of rows) yield labels
      const next = rows.at(-1)
      if (!next) break
      last = next.key
    }
  }
}

/** Yields the packed raw clicks of a month, or nothing if the month has been dropped. */
export async function* readRawClicksOfMonth(db: Db, month: number): AsyncGenerator<Buffer, void> {
  const from = startOfMonth(month) / DAY_MS
  const to = startOfMonth(month + 1) / DAY_MS - 1
  yield* readRawClicks(db, { clicksOfDay: await countRawClicks(db, { from, to }) })
}

/** Yields the numbers of all labels up to `last`, one page at a time. */
export async function* readLabelPages(db: Db, last: number): AsyncGenerator<number[], void> {
  for (let after = 0; ; ) {
    const rows = await db
      .selectFrom('labels')
      .select('id')
      .where('id', '>', after)
      .where('id', '<=', last)
      .orderBy('id')
      .limit(LABELS_PER_STATEMENT)
      .execute()
    const end = rows.at(-1)
    if (!end) return
    yield rows.map(({ id }) => id)
    after = end.id
  }
}

/**
 * Deletes the labels that were marked as unused at least a day ago, and marks the others as unused.
 * A lookup removes the mark. Returns the number of deleted labels.
 */
export async function markOrDeleteUnused(db: Db, labels: readonly number[]): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('labels')
    .where('id', '=', anyOf(labels))
    .where('unused_since', '<', sql<Date>`now() - interval '1 day'`)
    .executeTakeFirstOrThrow()
  await db
    .updateTable('labels')
    .set({ unused_since: sql<Date>`now()` })
    .where('id', '=', anyOf(labels))
    .where('unused_since', 'is', null)
    .execute()
  return Number(numDeletedRows)
}

/** Removes the mark from labels that are in use. */
export async function unmarkUsed(db: Db, labels: readonly number[]): Promise<void> {
  await db
    .updateTable('labels')
    .set({ unused_since: null })
    .where('id', '=', anyOf(labels))
    .where('unused_since', 'is not', null)
    .execute()
}

function anyOf(labels: readonly number[]) {
  return sql<number>`any(${int4Array(labels)}::integer[])`
}

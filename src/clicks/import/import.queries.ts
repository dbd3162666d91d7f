import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { sql } from 'kysely'
import { from as copyFrom } from 'pg-copy-streams'
import type { Connection } from '../../db/connection.ts'
import {
  copyFile,
  int8Array,
  rowLayout,
  setInt64,
  timestampArray,
  toMicroseconds,
} from '../../db/pg-binary.ts'
import type { Tx } from '../../db/transaction.ts'
import { createAccountSums } from './account-entries.ts'
import { addLinks } from './add-links.ts'
import { type Columns, inOrder } from './columns.ts'
import { addAccountDays } from './days.queries.ts'
import { findCounted } from './known-links.queries.ts'
import type { PreparedBatch } from './prepare.ts'
import type { Rollup } from './rollup.ts'

/** Links of a batch were deleted after it had been prepared: it has to be done without them. */
export class LinksGone extends Error {
  readonly links: ReadonlySet<number>

  constructor(links: ReadonlySet<number>) {
    super(`${links.size} links have been deleted`)
    this.links = links
  }
}

/**
 * Adds one batch to every click-side table, within the caller's transaction. Rows are written in the
 * order of their keys, the same in every importer, so that importers wait for each other but never
 * in a circle. Raw clicks from before `keepFrom` are counted, but not stored.
 *
 * The update of the totals is also what keeps deleted links out: whoever deletes a link deletes its
 * totals first, and so waits for this transaction or is waited for.
 *
 * @throws LinksGone if totals are missing; the transaction has to be rolled back then.
 */
export async function addBatch(
  { db: tx, copy }: Connection<Tx>,
  { rollup, labelIds, other, accountOf, batch }: PreparedBatch,
  keepFrom: number,
): Promise<void> {
  // First what locks nothing: whoever deletes a link does not wait for it.
  await addRows(copy, rollup.clicks, { links: batch.links, labelIds }, keepFrom)
  // Joins by nested loops keep to the order of the keys, in which rows are locked.
  await sql`set local enable_hashjoin = off; set local enable_mergejoin = off`.execute(tx)
  await addTotals(tx, rollup.totals)
  await addOrderChanges(tx, rollup.totals)
  const accounts = createAccountSums(accountOf)
  await addLinks(tx, rollup.details, other, accounts)
  // Last, since two importers may meet in an account's row.
  await addAccountDays(tx, accounts.entries(), other)
}

async function addTotals(tx: Tx, { link, clicks, lastAt }: Rollup['totals']): Promise<void> {
  const added = sql<{ link_id: number; clicks: number; at: Date | null }>`
    (select * from unnest(${int8Array(link)}::bigint[], ${int8Array(clicks)}::bigint[],
       ${timestampArray(lastAt)}::timestamptz[]) n (link_id, clicks, at))`
  const { numUpdatedRows } = await tx
    .with(
      (cte) => cte('n').materialized(),
      () => added,
    )
    .updateTable('click_totals as t')
    .from('n')
    .set(({ eb, fn, ref }) => ({
      clicks: eb('t.clicks', '+', ref('n.clicks')),
      last_click_at: eb
        .case()
        .when('n.clicks', '>', 0)
        .then(fn<Date | null>('greatest', ['t.last_click_at', 'n.at']))
        .else(ref('t.last_click_at'))
        .end(),
    }))
    .whereRef('t.link_id', '=', 'n.link_id')
    .executeTakeFirstOrThrow()
  if (Number(numUpdatedRows) === link.length) return
  throw new LinksGone(new Set(link).difference(new Set(await findCounted(tx, link))))
}

/**
 * Remembers that these links may have another rank in the order by clicks from now on: one row for
 * the whole batch, which is all that an import pays for that order. `link-order.ts` does the rest.
 */
async function addOrderChanges(tx: Tx, { link, clicks }: Rollup['totals']): Promise<void> {
  const clicked = link.filter((_, row) => (clicks[row] as number) > 0)
  if (clicked.length === 0) return
  const link_ids = sql<number[]>`${int8Array(clicked)}::bigint[]`
  await tx.insertInto('link_order_changes').values({ link_ids }).execute()
}

/** The raw clicks, without those of months that are not kept any more. */
async function addRows(
  copy: Connection['copy'],
  clicks: Columns,
  { links, labelIds }: { links: readonly number[]; labelIds: Int32Array },
  keepFrom: number,
): Promise<void> {
  const columns = since(clicks, keepFrom)
  if (columns.at.length === 0) return
  const { labels } = columns
  const [link, at, visitor, country, referrer, browser, os, device, crawler, language] = ROW.offsets
  const file = copyFile(ROW, columns.at.length, (view, offset, row) => {
    setInt64(view, offset + link, links[columns.link[row] as number] as number)
    setInt64(view, offset + at, toMicroseconds(columns.at[row] as number))
    view.setInt32(offset + visitor, columns.visitorHigh[row] as number)
    view.setInt32(offset + visitor + 4, columns.visitorLow[row] as number)
    view.setInt32(offset + country, labelIds[labels.country[row] as number] as number)
    view.setInt32(offset + referrer, labelIds[labels.referrer[row] as number] as number)
    view.setInt32(offset + browser, labelIds[labels.browser[row] as number] as number)
    view.setInt32(offset + os, labelIds[labels.os[row] as number] as number)
    view.setInt16(offset + device, labels.device[row] as number)
    view.setInt8(offset + crawler, columns.crawler[row] as number)
    view.setInt16(offset + language, labels.language[row] as number)
  })
  await pipeline(Readable.from([file]), copy(copyFrom(COPY)))
}

/** The clicks from a time on. */
function since(clicks: Columns, time: number): Columns {
  const { at } = clicks
  if (at.every((each) => each >= time)) return clicks
  return inOrder(
    clicks,
    Uint32Array.from(at.keys()).filter((row) => (at[row] as number) >= time),
  )
}

const COPY = `copy clicks (link_id, at, visitor, country, referrer, browser, os, device, crawler, language)
  from stdin (format binary)`

/** Bytes of the columns of a raw click, in their order. */
const ROW = rowLayout([8, 8, 8, 4, 4, 4, 4, 2, 1, 2])

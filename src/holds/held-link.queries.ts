import { type Selectable, sql } from 'kysely'
import { idArray } from '../db/arrays.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import type { HeldLinks } from '../db/tables.generated.ts'
import type { Tx } from '../db/transaction.ts'
import { toComments } from '../reports/report.queries.ts'
import { normalizeHost } from '../urls/host.ts'
import { shortUrlOf } from '../urls/short-url.ts'
import type { HeldLink, HeldReport, HoldDecision } from './hold.ts'

type HoldFilter = { confirmed: boolean }

/**
 * Returns one page of held links, most recently deleted first. They are either waiting for a
 * decision or confirmed.
 */
export async function listHeldLinks(
  db: Db,
  baseUrl: string,
  filter: HoldFilter,
  { limit, offset }: PageQuery,
): Promise<Page<HeldLink>> {
  const rows = await selectHeldLinks(db, filter)
    .selectAll()
    .orderBy('deleted_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return { entries: await toHeldLinks(db, baseUrl, rows), total: await countHeldLinks(db, filter) }
}

async function countHeldLinks(db: Db, filter: HoldFilter): Promise<number> {
  const { total } = await selectHeldLinks(db, filter)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return Number(total)
}

/**
 * Returns a held link and locks it until the transaction ends. Returns undefined if it is not held.
 */
export async function lockHeldLink(
  tx: Tx,
  baseUrl: string,
  id: number,
): Promise<HeldLink | undefined> {
  const rows = await tx
    .selectFrom('held_links')
    .selectAll()
    .where('id', '=', id)
    .where(sql<boolean>`decision is distinct from 'release'`)
    .forUpdate()
    .execute()
  const [held] = await toHeldLinks(tx, baseUrl, rows)
  return held
}

/** Stores the decision about a held link and settles its open reports. */
export async function decideHeldLink(
  tx: Tx,
  id: number,
  { decision, by, at }: { decision: HoldDecision; by: string; at: Date },
): Promise<void> {
  await tx
    .updateTable('held_links')
    .set({ decision, decided_by: by, decided_at: at })
    .where('id', '=', id)
    .execute()
  await tx
    .updateTable('link_reports')
    .set({ decision, settled_by: by, settled_at: at })
    .where('held_id', '=', id)
    .where('settled_at', 'is', null)
    .execute()
}

function selectHeldLinks(db: Db, { confirmed }: HoldFilter) {
  return db
    .selectFrom('held_links')
    .where(confirmed ? sql<boolean>`decision = 'confirm'` : sql<boolean>`decision is null`)
}

async function toHeldLinks(
  db: Db,
  baseUrl: string,
  rows: readonly Selectable<HeldLinks>[],
): Promise<HeldLink[]> {
  if (rows.length === 0) return []
  const ids = idArray(rows.map(({ id }) => id))
  const anyOf = sql<number>`any(${ids}::bigint[])`
  const [aliases, reports, accounts] = await Promise.all([
    db
      .selectFrom('held_aliases')
      .selectAll()
      .where('link_id', '=', anyOf)
      .orderBy(sql`alias collate "C"`)
      .execute(),
    db
      .selectFrom('link_reports')
      .selectAll()
      .where('held_id', '=', anyOf)
      .orderBy('id', 'desc')
      .execute(),
    db
      .selectFrom('accounts')
      .select('id')
      .where('deleting_since', 'is', null)
      .where(
        'id',
        'in',
        rows.map((row) => row.account_id),
      )
      .execute(),
  ])
  const ownHost = new URL(baseUrl).host
  return rows.map((row) => {
    const host = row.origin === null ? '' : normalizeHost(new URL(row.origin).host)
    return {
      id: row.id,
      shortUrl: shortUrlOf(row.origin ?? baseUrl, row.alias),
      formerAliases: aliases
        .filter(({ link_id }) => link_id === row.id)
        .filter((each) => each.alias !== row.alias || each.host !== host)
        .map((each) => `${each.host || ownHost}/${each.alias}`),
      destinations: row.destinations,
      account: {
        id: row.account_id,
        username: row.username,
        exists: accounts.some(({ id }) => id === row.account_id),
      },
      createdAt: row.created_at,
      deletedAt: row.deleted_at,
      disabled: row.disabled_at && { at: row.disabled_at, reason: row.disable_reason },
      reports: reports.filter(({ held_id }) => held_id === row.id).map(toHeldReport),
      confirmed:
        row.decided_at && row.decided_by !== null
          ? { at: row.decided_at, by: row.decided_by }
          : null,
    }
  })
}

function toHeldReport(
  row: Parameters<typeof toComments>[0] & HeldReport['counts'] & { first_at: Date; last_at: Date },
): HeldReport {
  const { phishing, malware, spam, other, first_at: firstAt, last_at: lastAt } = row
  return { counts: { phishing, malware, spam, other }, texts: toComments(row), firstAt, lastAt }
}

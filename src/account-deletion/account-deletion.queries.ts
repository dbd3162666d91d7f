import { sql } from 'kysely'
import { own, unscoped } from '../db/account-rows.ts'
import type { BioLink } from '../db/column-types.ts'
import { ACCOUNT_DELETION_LOCK, LINK_ORDER_LOCK, MAINTENANCE_LOCK } from '../db/lock.ts'
import type { Db } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import { listMembers } from '../identity/member.service.ts'
import { deleteMemberResets } from '../identity/password-reset.queries.ts'
import { deleteUsersWithoutAccount } from '../identity/user.queries.ts'
import { removeLinks } from '../links/remove-links.queries.ts'
import { listOwnLinks } from '../resources/bios.queries.ts'
import { RESOURCES } from '../resources/resources.ts'
import type { AccountScope } from '../scope.ts'

/** Smaller, because a bio page has up to 100 buttons, each with a link. */
const BIO_BATCH = 5

/** Tables with an `account_id`, other than links and what comes with links. */
const OWNED_TABLES = [
  'shared_statistics',
  ...RESOURCES.map(({ table }) => table).filter((table) => table !== 'bio_pages'),
  'utm_templates',
  'domains',
  'webhook_endpoints',
  'webhook_messages',
] as const

/** Tables whose row counters are keyed by the id of the group that contains the rows. */
const COUNTED_TABLES = {
  campaigns: 'campaign_links',
  channels: 'channel_items',
  overlays: 'answer_bytes',
} as const

/**
 * Marks an account for deletion and suspends it. Revokes its keys, sessions, invitations and the
 * reset links of its members. @returns whether the account exists
 */
export async function markForDeletion(scope: AccountScope<Tx>, now: Date): Promise<boolean> {
  const marked = await own(scope)
    .updateTable('accounts')
    .set(({ fn, val }) => ({
      deleting_since: fn.coalesce('deleting_since', val(now)),
      suspended_at: fn.coalesce('suspended_at', val(now)),
    }))
    .returning('id')
    .executeTakeFirst()
  for (const table of ['api_keys', 'sessions', 'invitations'] as const) {
    await own(scope).deleteFrom(table).execute()
  }
  await deleteMemberResets(scope)
  return marked !== undefined
}

/** Returns the accounts marked for deletion, in the order in which they were marked. */
export async function listMarkedAccounts(db: Db): Promise<number[]> {
  const rows = await db
    .selectFrom('accounts')
    .select('id')
    .where('deleting_since', 'is not', null)
    .orderBy('deleting_since')
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * A batch of a deletion. `after` is the last deleted link. Without it, each batch would step over
 * what the previous ones have left in the index.
 */
export type Batch = { limit: number; after: number }

/** A step of the deletion. Deletes up to `limit` rows and returns how many, or 0 if none are left. */
export type DeletionStep = (scope: AccountScope<Tx>, batch: Batch) => Promise<number>

/**
 * Makes this transaction the only one that deletes rows of the account. Returns whether no other one
 * does. Otherwise the command and the importer would wait for each other in every batch.
 */
export async function claimDeletion(scope: AccountScope<Tx>): Promise<boolean> {
  const { rows } = await sql<{ claimed: boolean }>`
    select pg_try_advisory_xact_lock(${ACCOUNT_DELETION_LOCK}::int, hashint8(${scope.accountId})) as claimed
  `.execute(unscoped(scope))
  return rows[0]?.claimed ?? false
}

/**
 * The steps that run before the account's own row is deleted, in this order. Links come before
 * their clicks, as in every transaction, and before the domains that they are on.
 */
export const DELETION_STEPS: readonly DeletionStep[] = [
  deleteCodes,
  deleteBios,
  deleteLinks,
  deleteTrash,
  deleteAnswers,
  ...OWNED_TABLES.map(
    (table): DeletionStep =>
      (scope, { limit }) =>
        deleteOwnedRows(scope, table, limit),
  ),
  deleteStoredReplies,
]

/** Deletes QR codes with their internal links. */
async function deleteCodes(scope: AccountScope<Tx>, { limit }: Batch): Promise<number> {
  const codes = await deleteOldest<{ own_link_id: number | null }>(scope, {
    table: 'qr_codes',
    column: 'own_link_id',
    limit,
  })
  await deleteWithClicks(
    unscoped(scope),
    codes.flatMap(({ own_link_id }) => own_link_id ?? []),
  )
  return codes.length
}

/** Deletes bio pages with the links of their buttons. */
async function deleteBios(scope: AccountScope<Tx>): Promise<number> {
  const pages = await deleteOldest<{ links: BioLink[] }>(scope, {
    table: 'bio_pages',
    column: 'links',
    limit: BIO_BATCH,
  })
  await deleteWithClicks(
    unscoped(scope),
    pages.flatMap(({ links }) => listOwnLinks(links)).map(({ linkId }) => linkId),
  )
  return pages.length
}

/** Deletes the oldest rows of an account and returns a column of them. */
async function deleteOldest<Row>(
  scope: AccountScope<Tx>,
  { table, column, limit }: { table: string; column: string; limit: number },
): Promise<Row[]> {
  const { rows } = await sql<Row>`
    delete from ${sql.table(table)}
    where id in (
      select id from ${sql.table(table)} where account_id = ${scope.accountId}
      order by id limit ${limit} for update)
    returning ${sql.ref(column)}`.execute(unscoped(scope))
  return rows
}

async function deleteLinks(scope: AccountScope<Tx>, batch: Batch): Promise<number> {
  // The deletion also removes links from the order by clicks. The task that maintains this order
  // could otherwise deadlock with it.
  await sql`select pg_advisory_xact_lock(${MAINTENANCE_LOCK}::int, ${LINK_ORDER_LOCK}::int)`.execute(
    unscoped(scope),
  )
  const links = await own(scope)
    .selectFrom('links')
    .select('id')
    .where('kind', '=', 'link')
    .where('id', '>', batch.after)
    .orderBy('id')
    .limit(batch.limit)
    .forUpdate()
    .execute()
  await deleteWithClicks(
    unscoped(scope),
    links.map(({ id }) => id),
  )
  batch.after = links.at(-1)?.id ?? batch.after
  return links.length
}

async function deleteTrash(scope: AccountScope<Tx>, { limit }: Batch): Promise<number> {
  const links = await own(scope)
    .selectFrom('deleted_links')
    .select('link_id')
    .orderBy('deleted_at')
    .limit(limit)
    .execute()
  await deleteWithClicks(
    unscoped(scope),
    links.map(({ link_id }) => link_id),
  )
  return links.length
}

async function deleteWithClicks(tx: Tx, ids: readonly number[]): Promise<void> {
  const anyLink = sql<number>`any(${[...ids]}::bigint[])`
  await removeLinks(tx, ids)
  for (const table of ['link_guesses', 'link_known_visitors'] as const) {
    await tx.deleteFrom(table).where('link_id', '=', anyLink).execute()
  }
}

async function deleteAnswers(scope: AccountScope<Tx>, { limit }: Batch): Promise<number> {
  const deleted = await unscoped(scope)
    .deleteFrom('overlay_answers')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('overlay_answers')
        .innerJoin('overlays', 'overlays.id', 'overlay_answers.overlay_id')
        .select('overlay_answers.id')
        .where('overlays.account_id', '=', scope.accountId)
        .limit(limit),
    )
    .executeTakeFirstOrThrow()
  return Number(deleted.numDeletedRows)
}

async function deleteOwnedRows(
  scope: AccountScope<Tx>,
  table: (typeof OWNED_TABLES)[number],
  limit: number,
): Promise<number> {
  const rows = await unscoped(scope)
    .deleteFrom<(typeof OWNED_TABLES)[number]>(table)
    .where('id', 'in', (eb) =>
      eb
        .selectFrom<(typeof OWNED_TABLES)[number]>(table)
        .select('id')
        .where('account_id', '=', scope.accountId)
        .limit(limit),
    )
    .returning('id')
    .execute()
  if (table === 'campaigns' || table === 'channels' || table === 'overlays') {
    const ids = rows.map(({ id }) => id)
    await unscoped(scope)
      .deleteFrom('row_counts')
      .where('kind', '=', COUNTED_TABLES[table])
      .where('owner_id', '=', sql<number>`any(${ids}::bigint[])`)
      .execute()
  }
  return rows.length
}

async function deleteStoredReplies(scope: AccountScope<Tx>, { limit }: Batch): Promise<number> {
  const deleted = await own(scope)
    .deleteFrom('idempotency_keys')
    .where('key', 'in', (eb) =>
      eb
        .selectFrom('idempotency_keys')
        .select('key')
        .where('account_id', '=', scope.accountId)
        .limit(limit),
    )
    .executeTakeFirstOrThrow()
  return Number(deleted.numDeletedRows)
}

/**
 * Deletes the row of a marked account and its remaining data. Locks the row first, which waits for
 * concurrent creations. Deletes nothing if one of them created a link or QR code. @returns whether
 * the account was deleted
 */
export async function deleteEmptyAccount(scope: AccountScope<Tx>): Promise<boolean> {
  await own(scope).selectFrom('accounts').select('id').forUpdate().execute()
  const { has_more } = await scope.db
    .selectNoFrom(({ or, exists, selectFrom }) =>
      or([
        exists(
          selectFrom('links')
            .select('id')
            .where('account_id', '=', scope.accountId)
            .where('kind', '=', 'link'),
        ),
        exists(
          selectFrom('deleted_links').select('link_id').where('account_id', '=', scope.accountId),
        ),
        exists(selectFrom('qr_codes').select('id').where('account_id', '=', scope.accountId)),
      ])
        .$castTo<boolean>()
        .as('has_more'),
    )
    .executeTakeFirstOrThrow()
  if (has_more) return false
  const members = await listMembers(scope)
  await own(scope).deleteFrom('accounts').where('deleting_since', 'is not', null).execute()
  await deleteUsersWithoutAccount(
    unscoped(scope),
    members.map(({ id }) => id),
  )
  for (const table of ['account_days', 'account_uncounted_days'] as const) {
    await own(scope).deleteFrom(table).execute()
  }
  await unscoped(scope)
    .deleteFrom('row_counts')
    .where('kind', 'in', ['links', 'deleted_links', 'qr_codes', 'bio_pages', 'bytes'])
    .where('owner_id', '=', scope.accountId)
    .execute()
  return true
}

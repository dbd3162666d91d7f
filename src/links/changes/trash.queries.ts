import { sql } from 'kysely'
import { unscoped } from '../../db/account-rows.ts'
import { idArray } from '../../db/arrays.ts'
import { LINK_ORDER_LOCK, MAINTENANCE_LOCK } from '../../db/lock.ts'
import type { RecordedTx } from '../../db/recorded-tx.ts'
import type { Tx } from '../../db/transaction.ts'
import type { AccountScope } from '../../scope.ts'
import { addTags } from '../../tags/link-tags.queries.ts'
import { parseTags } from '../../tags/tag.service.ts'
import type { LockedLink } from './bulk-links.queries.ts'

/** SQL: the data in other tables of link `links.id`. */
const PARTS = sql`jsonb_build_object(
  'tags', array(
    select name from link_tags join tags on tags.id = tag_id
    where link_id = links.id order by position),
  'campaigns', array(select campaign_id from campaign_links where link_id = links.id order by id),
  'campaignWeights', (
    select jsonb_object_agg(campaign_id, weight) from campaign_links
    where link_id = links.id and weight <> 1),
  'channels', array(select channel_id from channel_items where link_id = links.id order by id),
  'imported', (
    select jsonb_build_object('source', source, 'domain', domain, 'alias', alias,
      'history_bytes', history_bytes)
    from imported_links where link_id = links.id),
  'codes', array(select to_jsonb(qr_codes) from qr_codes where link_id = links.id order by id),
  'codeChannels', array(
    select jsonb_build_object('qr_id', qr_id, 'channel_id', channel_id)
    from channel_items join qr_codes on qr_codes.id = qr_id
    where qr_codes.link_id = links.id order by channel_items.id))`

/** Moves an account's links to the trash. The transaction must have locked them. */
export async function moveToTrash(
  scope: AccountScope<RecordedTx>,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return
  const anyLink = sql`any(${idArray(ids)}::bigint[])`
  await sql`
    insert into deleted_links (link_id, account_id, parts)
    select id, account_id, ${PARTS} from links where id = ${anyLink}`.execute(unscoped(scope))
  await lockLinkOrder(unscoped(scope), ids)
  for (const table of ['link_tags', 'campaign_links', 'channel_items', 'imported_links'] as const) {
    await sql`delete from ${sql.table(table)} where link_id = ${anyLink}`.execute(unscoped(scope))
  }
  await sql`delete from link_order where link_id = ${anyLink}`.execute(unscoped(scope))
  await sql`delete from qr_codes where link_id = ${anyLink}`.execute(unscoped(scope))
  // Runs two statements, because an index supports each condition but not both joined by "or".
  for (const links of [anyLink, sql`any(array(${selectCodeLinks(ids)}))`]) {
    await sql`update links set kind = 'deleted' where id = ${links}`.execute(unscoped(scope))
  }
  await countLinks(scope, -ids.length)
}

export type TrashedLink = LockedLink & { tags: readonly string[] }

/** SQL condition on `links`: no destination of the link is held for the account. */
const IS_RESTORABLE = sql`not exists (
  select from held_destinations held
  join link_destinations(links.url, links.expired_url, links.rules) link (destination)
    on held.digest = destination_digest(link.destination)
  where held.account_id = links.account_id)`

/**
 * Locks links in an account's trash and returns them. With `onlyRestorable`, skips links with a
 * held destination.
 */
export async function lockTrashed(
  scope: AccountScope<Tx>,
  ids: readonly number[],
  { onlyRestorable = false } = {},
): Promise<TrashedLink[]> {
  const { rows } = await sql<Omit<TrashedLink, 'isBlocked'>>`
    select links.id, alias, domain_id as "domainId", parts -> 'tags' as tags
    from links join deleted_links on link_id = links.id
    where links.id = any(${[...ids]}::bigint[]) and links.account_id = ${scope.accountId}
      and ${onlyRestorable ? IS_RESTORABLE : sql`true`}
    order by links.id for update of links`.execute(unscoped(scope))
  return rows.map((row) => ({ ...row, isBlocked: false }))
}

/**
 * Restores links that `lockTrashed` returned, and puts them back into the campaigns and channels
 * that still exist.
 */
export async function moveFromTrash(
  scope: AccountScope<RecordedTx>,
  links: readonly TrashedLink[],
): Promise<void> {
  const ids = links.map(({ id }) => id)
  if (ids.length === 0) return
  const from = sql`from deleted_links trash`
  const anyLink = sql`any(${idArray(ids)}::bigint[])`
  for (const [kind, links] of [
    ['link', anyLink],
    ['forward', sql`any(array(${selectCodeLinks(ids)}))`],
  ] as const) {
    await sql`update links set kind = ${kind} where id = ${links}`.execute(unscoped(scope))
  }
  await sql`
    insert into qr_codes overriding system value
    select code.* ${from}, jsonb_populate_recordset(null::qr_codes, parts -> 'codes') code
    where trash.link_id = ${anyLink} on conflict do nothing`.execute(unscoped(scope))
  await sql`
    insert into campaign_links (campaign_id, link_id, weight)
    select campaigns.id, trash.link_id,
      coalesce((parts -> 'campaignWeights' ->> campaign.id)::smallint, 1)
    ${from}, jsonb_array_elements_text(parts -> 'campaigns') campaign (id)
    join campaigns on campaigns.id = campaign.id::bigint
    where trash.link_id = ${anyLink} on conflict do nothing`.execute(unscoped(scope))
  await sql`
    insert into channel_items (channel_id, link_id)
    select channels.id, trash.link_id
    ${from}, jsonb_array_elements_text(parts -> 'channels') channel (id)
    join channels on channels.id = channel.id::bigint
    where trash.link_id = ${anyLink} on conflict do nothing`.execute(unscoped(scope))
  await sql`
    insert into channel_items (channel_id, qr_id)
    select channels.id, qr_codes.id
    ${from}, jsonb_to_recordset(parts -> 'codeChannels') item (qr_id bigint, channel_id bigint)
    join qr_codes on qr_codes.id = item.qr_id join channels on channels.id = item.channel_id
    where trash.link_id = ${anyLink} on conflict do nothing`.execute(unscoped(scope))
  await sql`
    insert into imported_links (link_id, account_id, source, domain, alias, history_bytes)
    select trash.link_id, trash.account_id, source, domain, alias, history_bytes
    ${from}, jsonb_to_record(parts -> 'imported')
      imported (source text, domain text, alias text, history_bytes integer)
    where trash.link_id = ${anyLink} and parts ->> 'imported' is not null
    on conflict do nothing`.execute(unscoped(scope))
  await addTags(
    scope,
    links.map(({ id, tags }) => ({ linkId: id, tags: parseTags('tags', tags) })),
  )
  await restoreLinkOrder(scope, ids)
  await countLinks(scope, ids.length)
  await sql`delete from deleted_links where link_id = ${anyLink}`.execute(unscoped(scope))
}

/** SQL: the ids of the internal links of QR codes that belong to links in the trash. */
function selectCodeLinks(ids: readonly number[]) {
  return sql`
    select (code ->> 'own_link_id')::bigint
    from deleted_links, jsonb_array_elements(parts -> 'codes') code
    where link_id = any(${idArray(ids)}::bigint[]) and code ->> 'own_link_id' is not null`
}

/** Adds restored links to the order by clicks. */
async function restoreLinkOrder(scope: AccountScope<Tx>, ids: readonly number[]): Promise<void> {
  await lockLinkOrder(unscoped(scope), ids)
  const totals = await unscoped(scope)
    .selectFrom('click_totals')
    .select(['link_id', 'clicks'])
    .where('link_id', '=', sql<number>`any(${idArray(ids)}::bigint[])`)
    .execute()
  const clicks = new Map(totals.map((row) => [row.link_id, row.clicks]))
  await sql`
    insert into link_order (account_id, clicks, link_id)
    select ${scope.accountId}, clicks, link_id
    from unnest(${[...ids]}::bigint[], ${ids.map((id) => clicks.get(id) ?? 0)}::bigint[])
      given (link_id, clicks)`.execute(unscoped(scope))
}

/**
 * Prevents concurrent updates of the order by clicks, which could deadlock with a change of many
 * links.
 */
async function lockLinkOrder(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 1) return
  await sql`select pg_advisory_xact_lock(${MAINTENANCE_LOCK}::int, ${LINK_ORDER_LOCK}::int)`.execute(
    tx,
  )
}

/** Updates the counter of links, like the triggers of `row_counts` do for inserts and deletes. */
async function countLinks(scope: AccountScope<Tx>, change: number): Promise<void> {
  await sql`
    insert into row_counts as c (owner_id, kind, slot, rows)
    values (${scope.accountId}, 'links', pg_backend_pid() % 16, ${change})
    on conflict (kind, owner_id, slot) do update set rows = c.rows + excluded.rows`.execute(
    unscoped(scope),
  )
}

type TrashSelection = { domainId: number } | { olderThanDays: number }

/** Locks some links in the trash. Skips links that are already locked. */
export async function lockSomeTrashed(
  tx: Tx,
  selection: TrashSelection,
  limit: number,
): Promise<number[]> {
  const condition =
    'domainId' in selection
      ? sql`domain_id = ${selection.domainId} and kind = 'deleted'`
      : sql`deleted_at < now() - ${selection.olderThanDays}::int * interval '1 day'`
  const { rows } = await sql<{ id: number }>`
    select links.id from deleted_links join links on links.id = link_id
    where ${condition} order by deleted_at, link_id limit ${limit}
    for update of links skip locked`.execute(tx)
  return rows.map(({ id }) => id)
}

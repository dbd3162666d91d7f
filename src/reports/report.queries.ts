import { sql } from 'kysely'
import type { HostMatcher } from '../blocked-hosts/blocked-host.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import { listDestinations } from '../links/destination.ts'
import { shortUrlOf } from '../urls/short-url.ts'
import type { Decision, LinkReport, ReportReason, ReportText } from './report.ts'

/**
 * The maximum number of comments stored per link, and of destinations at the time of the reports.
 */
const MAX_COMMENTS = 20
const MAX_DESTINATIONS = 1000

/** Facts about links that the database does not have. */
type ReportContext = { baseUrl: string; blocked: Pick<HostMatcher, 'blocksDestination'> }

/**
 * Adds a report, with the link's destinations, to the open reports of its link. Returns whether the
 * link exists.
 */
export async function addReport(
  db: Db,
  report: { linkId: number; reason: ReportReason; text: string | null; at: Date },
): Promise<boolean> {
  const { linkId, reason, text, at } = report
  const texts = JSON.stringify(text === null ? [] : [{ reason, text, at: at.toISOString() }])
  const { numAffectedRows = 0n } = await sql`
    insert into link_reports as r (link_id, ${sql.ref(reason)}, texts, destinations, first_at, last_at)
    select id, 1, ${texts}::jsonb,
      array(select link_destinations(url, expired_url, rules || split)),
      ${at}::timestamptz, ${at}::timestamptz
    from links where id = ${linkId} for key share
    on conflict (link_id) where settled_at is null do update set
      ${sql.ref(reason)} = r.${sql.ref(reason)} + 1,
      last_at = greatest(r.last_at, excluded.last_at),
      texts = jsonb_path_query_array(r.texts || excluded.texts,
        ${sql.lit(`$[last - ${MAX_COMMENTS - 1} to last]`)}),
      destinations = (array(
        select unnest(r.destinations) union select unnest(excluded.destinations)
      ))[1:${sql.lit(MAX_DESTINATIONS)}]`.execute(db)
  return numAffectedRows > 0n
}

/**
 * Returns one page of open reports (most reported link first), or of settled ones. Open reports of
 * deleted links belong to the held links.
 */
export async function listReports(
  db: Db,
  context: ReportContext,
  { settled }: { settled: boolean },
  { limit, offset }: PageQuery,
): Promise<Page<LinkReport>> {
  const rows = await selectReports(db)
    .where(matchesState(settled))
    .$if(settled, (query) => query.orderBy('r.settled_at', 'desc'))
    .$if(!settled, (query) => query.orderBy(sql`phishing + malware + spam + other`, 'desc'))
    .orderBy('r.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return {
    entries: rows.map((row) => toReport(row, context)),
    total: await countReports(db, { settled }),
  }
}

async function countReports(db: Db, { settled }: { settled: boolean }): Promise<number> {
  const { total } = await db
    .selectFrom('link_reports')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where(matchesState(settled))
    .executeTakeFirstOrThrow()
  return Number(total)
}

/**
 * Returns the reports with this id, or undefined if they are not open. Locks them and their link
 * until the transaction ends. Locks the link first, like a deletion of the link does.
 */
export async function lockWaitingReport(
  tx: Tx,
  context: ReportContext,
  id: number,
): Promise<LinkReport | undefined> {
  await tx
    .selectFrom('links')
    .select('id')
    .where('id', '=', (eb) => eb.selectFrom('link_reports').select('link_id').where('id', '=', id))
    .forUpdate()
    .execute()
  const row = await selectReports(tx)
    .where('r.id', '=', id)
    .where(matchesState(false))
    .forUpdate('r')
    .executeTakeFirst()
  return row && toReport(row, context)
}

type AppliedDecision = { decision: Decision; by: string; at: Date }

/** Settles the open reports of a link, or of all links of an account. */
export async function settleReports(
  tx: Tx,
  which: { linkId: number } | { accountId: number },
  { decision, by, at }: AppliedDecision,
): Promise<void> {
  await tx
    .updateTable('link_reports')
    .set({ decision, settled_by: by, settled_at: at })
    .where('settled_at', 'is', null)
    .where('link_id', 'in', (eb) =>
      'linkId' in which
        ? eb.selectFrom('links').select('id').where('id', '=', which.linkId)
        : eb.selectFrom('links').select('id').where('account_id', '=', which.accountId),
    )
    .execute()
}

/** Deletes all settled reports except the newest `maxCount`. */
export async function trimSettled(tx: Tx, maxCount: number): Promise<void> {
  await sql`
    delete from link_reports where id in (
      select id from link_reports where settled_at is not null
      order by settled_at desc, id desc offset ${maxCount}
    )`.execute(tx)
}

function matchesState(settled: boolean) {
  return settled
    ? sql<boolean>`settled_at is not null`
    : sql<boolean>`settled_at is null and link_id is not null`
}

/** Selects reports with their links, or with the held data of deleted links. */
function selectReports(db: Db) {
  return db
    .selectFrom('link_reports as r')
    .leftJoin('links', 'links.id', 'r.link_id')
    .leftJoin('held_links as held', 'held.id', 'r.held_id')
    .leftJoin('accounts', (join) =>
      join.on((eb) =>
        eb('accounts.id', '=', eb.fn.coalesce('links.account_id', 'held.account_id')),
      ),
    )
    .leftJoin('domains', 'domains.id', 'links.domain_id')
    .leftJoin('splash_pages', (join) =>
      join.onRef('splash_pages.id', '=', 'links.splash_id').on('links.redirect', '=', 'splash'),
    )
    .leftJoin('overlays', (join) =>
      join.onRef('overlays.id', '=', 'links.overlay_id').on('links.redirect', '=', 'overlay'),
    )
    .selectAll('r')
    .select(({ fn }) => [
      fn.coalesce('links.id', 'held.id').$notNull().as('subject_id'),
      fn.coalesce('links.alias', 'held.alias').$notNull().as('alias'),
      fn.coalesce('domains.origin', 'held.origin').as('origin'),
      fn.coalesce('links.account_id', 'held.account_id').$notNull().as('account_id'),
      fn.coalesce('accounts.username', 'held.username').$notNull().as('username'),
      'accounts.suspended_at',
      'held.destinations as held_destinations',
      'links.url',
      'links.rules',
      'links.split',
      'links.expired_url',
      'links.status',
      'splash_pages.link as splash_link',
      'overlays.link as overlay_link',
    ])
}

type Row = Awaited<ReturnType<ReturnType<typeof selectReports>['executeTakeFirstOrThrow']>>

function toReport(row: Row, { baseUrl, blocked }: ReportContext): LinkReport {
  const { phishing, malware, spam, other, settled_at: at, settled_by: by, decision } = row
  const destinations = listCurrentTargets(row)
  const unblocked = destinations.filter((target) => !blocked.blocksDestination(target))
  return {
    id: row.id,
    link: {
      id: row.subject_id,
      shortUrl: shortUrlOf(row.origin ?? baseUrl, row.alias),
      destinations,
      formerDestinations: row.destinations.filter((target) => !destinations.includes(target)),
      status: row.status,
      blocked: blockedShare(destinations.length - unblocked.length, destinations.length),
    },
    account: {
      id: row.account_id,
      username: row.username,
      suspended: row.suspended_at !== null,
    },
    counts: { phishing, malware, spam, other },
    texts: toComments(row),
    firstAt: row.first_at,
    lastAt: row.last_at,
    settled: at && by && decision ? { at, by, decision } : null,
  }
}

function blockedShare(blocked: number, total: number): LinkReport['link']['blocked'] {
  if (blocked === total) return 'all'
  return blocked > 0 ? 'some' : 'none'
}

function listCurrentTargets(row: Row): string[] {
  const { url, rules, split, expired_url, splash_link, overlay_link } = row
  if (url === null) return row.held_destinations ?? []
  return listDestinations({
    url,
    rules: rules ?? [],
    split: split ?? [],
    expired_url,
    splash_link,
    overlay_link,
  })
}

/** Returns the reporters' comments, newest first. */
export function toComments({ texts }: Pick<Row, 'texts'>): ReportText[] {
  return texts.map((each) => ({ ...each, at: new Date(each.at) })).reverse()
}

import { type Selectable, sql } from 'kysely'
import type { HostMatcher } from '../blocked-hosts/blocked-host.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import type { TargetRow } from '../db/schema/links.ts'
import type { LinkReportTable } from '../db/schema/operator.ts'
import type { Tx } from '../db/transaction.ts'
import { targetsOf } from '../links/link-targets.ts'
import { shortUrlOf } from '../links/short-url.ts'
import type { Decision, LinkReport, ReportReason } from './report.ts'

/** What was written is kept of so many reports of a link. */
const TEXTS_KEPT = 20

/** What is known of links beside the database. */
type Setting = { baseUrl: string; blocked: Pick<HostMatcher, 'blocksTarget'> }

/** Adds a report to those of its link that wait. */
export async function addReport(
  db: Db,
  report: { linkId: number; reason: ReportReason; text: string | null; at: Date },
): Promise<void> {
  const { linkId, reason, text, at } = report
  const texts = JSON.stringify(text === null ? [] : [{ reason, text, at: at.toISOString() }])
  await db
    .insertInto('link_reports')
    .values({ link_id: linkId, [reason]: 1, texts, first_at: at, last_at: at })
    .onConflict((conflict) =>
      conflict
        .column('link_id')
        .where('settled_at', 'is', null)
        .doUpdateSet(({ eb, ref, fn }) => ({
          [reason]: eb(ref(`link_reports.${reason}`), '+', 1),
          last_at: fn<Date>('greatest', ['link_reports.last_at', 'excluded.last_at']),
          texts: sql<string>`jsonb_path_query_array(link_reports.texts || excluded.texts,
            ${sql.lit(`$[last - ${TEXTS_KEPT - 1} to last]`)})`,
        })),
    )
    .execute()
}

/** One page of the reports that wait, the most reported link first, or of those that are settled. */
export async function listReports(
  db: Db,
  setting: Setting,
  { settled }: { settled: boolean },
  { limit, offset }: PageQuery,
): Promise<Page<LinkReport>> {
  const rows = await reports(db)
    .where('r.settled_at', settled ? 'is not' : 'is', null)
    .$if(settled, (query) => query.orderBy('r.settled_at', 'desc'))
    .$if(!settled, (query) => query.orderBy(sql`phishing + malware + spam + other`, 'desc'))
    .orderBy('r.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return {
    entries: rows.map((row) => toReport(row, setting)),
    total: await countReports(db, { settled }),
  }
}

export async function countReports(db: Db, { settled }: { settled: boolean }): Promise<number> {
  const { total } = await db
    .selectFrom('link_reports')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('settled_at', settled ? 'is not' : 'is', null)
    .executeTakeFirstOrThrow()
  return Number(total)
}

/**
 * The reports with this id if they still wait, locked with their link until the transaction ends. The link
 * comes first, as where it is deleted with its reports.
 */
export async function lockWaitingReport(
  tx: Tx,
  setting: Setting,
  id: number,
): Promise<LinkReport | undefined> {
  await tx
    .selectFrom('links')
    .select('id')
    .where('id', '=', (eb) => eb.selectFrom('link_reports').select('link_id').where('id', '=', id))
    .forUpdate()
    .execute()
  const row = await reports(tx)
    .where('r.id', '=', id)
    .where('r.settled_at', 'is', null)
    .forUpdate('r')
    .executeTakeFirst()
  return row && toReport(row, setting)
}

type Settlement = { decision: Decision; by: string; at: Date }

/** Settles the waiting reports of a link, or of all links of an account. */
export async function settleReports(
  tx: Tx,
  which: { linkId: number } | { accountId: number },
  { decision, by, at }: Settlement,
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

/** Deletes settled reports beyond the newest `kept`. */
export async function trimSettled(tx: Tx, kept: number): Promise<void> {
  await sql`
    delete from link_reports where id in (
      select id from link_reports where settled_at is not null
      order by settled_at desc, id desc offset ${kept}
    )`.execute(tx)
}

function reports(db: Db) {
  return db
    .selectFrom('link_reports as r')
    .innerJoin('links', 'links.id', 'r.link_id')
    .innerJoin('accounts', 'accounts.id', 'links.account_id')
    .leftJoin('domains', 'domains.id', 'links.domain_id')
    .leftJoin('splash_pages', (join) =>
      join.onRef('splash_pages.id', '=', 'links.splash_id').on('links.redirect', '=', 'splash'),
    )
    .leftJoin('overlays', (join) =>
      join.onRef('overlays.id', '=', 'links.overlay_id').on('links.redirect', '=', 'overlay'),
    )
    .selectAll('r')
    .select([
      'links.alias',
      'links.url',
      'links.geo_targets',
      'links.device_targets',
      'links.language_targets',
      'splash_pages.link as splash_link',
      'overlays.link as overlay_link',
      'links.status',
      'links.account_id',
      'accounts.username',
      'accounts.suspended_at',
      'domains.origin',
    ])
}

type Row = Selectable<LinkReportTable> & {
  alias: string
  url: string
  geo_targets: TargetRow[]
  device_targets: TargetRow[]
  language_targets: TargetRow[]
  splash_link: string | null
  overlay_link: string | null
  status: LinkReport['link']['status']
  account_id: number
  username: string
  suspended_at: Date | null
  origin: string | null
}

function toReport(row: Row, { baseUrl, blocked }: Setting): LinkReport {
  const { phishing, malware, spam, other, settled_at: at, settled_by: by, decision } = row
  const targets = targetsOf(row)
  const open = targets.filter((target) => !blocked.blocksTarget(target))
  return {
    id: row.id,
    link: {
      id: row.link_id,
      shortUrl: shortUrlOf(row.origin ?? baseUrl, row.alias),
      targets,
      status: row.status,
      blocked: open.length === 0 ? 'all' : open.length < targets.length ? 'some' : 'none',
    },
    account: {
      id: row.account_id,
      username: row.username,
      suspended: row.suspended_at !== null,
    },
    counts: { phishing, malware, spam, other },
    texts: row.texts.map((each) => ({ ...each, at: new Date(each.at) })).reverse(),
    firstAt: row.first_at,
    lastAt: row.last_at,
    settled: at && by && decision ? { at, by, decision } : null,
  }
}

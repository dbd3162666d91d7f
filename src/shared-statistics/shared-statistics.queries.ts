import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import type { SharedPage, SharedSubject } from './shared-statistics.ts'

/**
 * Stores a page for a link or campaign of the account, unless there already is one. Returns whether
 * there is a page now.
 */
export async function insertPage(
  db: Db,
  accountId: number,
  subject: SharedSubject,
  { token, timeZone }: { token: string; timeZone: string },
): Promise<boolean> {
  const { rows } = await sql`
    with owned as (
      select id from ${subjectTable(subject)}
      where account_id = ${accountId} and id = ${subject.id} ${excludeUnlisted(subject)}
      for key share
    ), added as (
      insert into shared_statistics (account_id, token, time_zone, ${subjectColumn(subject)})
      select ${accountId}, ${token}, ${timeZone}, id from owned
      on conflict do nothing
    )
    select 1 from owned`.execute(db)
  return rows.length > 0
}

/** Returns the token of the page of a link or campaign, or undefined if there is none. */
export async function findToken(
  db: Db,
  accountId: number,
  subject: SharedSubject,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('shared_statistics')
    .select('token')
    .where('account_id', '=', accountId)
    .where(subject.kind === 'link' ? 'link_id' : 'campaign_id', '=', subject.id)
    .executeTakeFirst()
  return row?.token
}

export async function deletePage(db: Db, accountId: number, subject: SharedSubject): Promise<void> {
  await db
    .deleteFrom('shared_statistics')
    .where('account_id', '=', accountId)
    .where(subject.kind === 'link' ? 'link_id' : 'campaign_id', '=', subject.id)
    .execute()
}

/**
 * Returns the page with this token. Returns undefined if there is none, its account is suspended or
 * its link is in the trash.
 */
export async function findPage(db: Db, token: string): Promise<SharedPage | undefined> {
  const row = await db
    .selectFrom('shared_statistics as page')
    .innerJoin('accounts', 'accounts.id', 'page.account_id')
    .leftJoin('links', 'links.id', 'page.link_id')
    .select(['page.account_id', 'page.link_id', 'page.campaign_id', 'page.time_zone'])
    .where('page.token', '=', token)
    .where('accounts.suspended_at', 'is', null)
    .where(({ eb, or }) => or([eb('page.link_id', 'is', null), eb('links.kind', '=', 'link')]))
    .executeTakeFirst()
  if (!row) return undefined
  const { account_id: accountId, link_id: linkId, campaign_id: campaignId } = row
  const timeZone = row.time_zone
  if (linkId !== null) return { accountId, timeZone, subject: { kind: 'link', id: linkId } }
  return campaignId === null
    ? undefined
    : { accountId, timeZone, subject: { kind: 'campaign', id: campaignId } }
}

const subjectTable = ({ kind }: SharedSubject) => sql.table(kind === 'link' ? 'links' : 'campaigns')
const subjectColumn = ({ kind }: SharedSubject) =>
  sql.ref(kind === 'link' ? 'link_id' : 'campaign_id')
/** Excludes links of QR codes and links in the trash. */
const excludeUnlisted = ({ kind }: SharedSubject) =>
  kind === 'link' ? sql`and kind = 'link'` : sql``

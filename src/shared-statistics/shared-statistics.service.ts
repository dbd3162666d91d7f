import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { WebContext } from '../context.ts'
import { own, unscoped } from '../db/account-rows.ts'
import type { Db } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import type { AccountScope } from '../scope.ts'

/** The link or campaign of a public statistics page. */
type SharedSubject = { kind: 'link' | 'campaign'; id: number }

type SharedPage = {
  accountId: number
  subject: SharedSubject
  timeZone: string
}

const subjectTable = ({ kind }: SharedSubject) => sql.table(kind === 'link' ? 'links' : 'campaigns')

const subjectColumn = ({ kind }: SharedSubject) =>
  sql.ref(kind === 'link' ? 'link_id' : 'campaign_id')

/** Excludes links of QR codes and links in the trash. */
const excludeUnlisted = ({ kind }: SharedSubject) =>
  kind === 'link' ? sql`and kind = 'link'` : sql``

/** The maximum number of views of shared pages from one IP address per minute. */
const VIEWS_PER_MINUTE = 60

/**
 * Creates a public page with the statistics of a link or campaign, unless there already is one.
 *
 * @throws AppError `not_found`
 */
export async function sharePage(
  scope: AccountScope,
  subject: SharedSubject,
  timeZone: string,
): Promise<void> {
  const token = randomBytes(32).toString('base64url')
  const found = await insertPage(scope, subject, { token, timeZone })
  if (!found) throw new AppError('not_found')
}

/**
 * Returns the page with this token for a visitor at an IP address.
 *
 * @throws AppError `not_found`, `rate_limited`
 */
export async function openPage(
  ctx: Pick<WebContext, 'rateLimiter' | 'hashAddress'>,
  db: Db,
  token: string,
  address: string,
): Promise<SharedPage> {
  if (!isSharedToken(token)) throw new AppError('not_found')
  const retryAfter = await ctx.rateLimiter.count(
    `shared:${ctx.hashAddress(address)}`,
    VIEWS_PER_MINUTE,
  )
  if (retryAfter !== undefined) throw new AppError('rate_limited', { retryAfter })
  const page = await findPage(db, token)
  if (!page) throw new AppError('not_found')
  return page
}

/**
 * Stores a page for a link or campaign of the account, unless there already is one. Returns whether
 * there is a page now.
 */
async function insertPage(
  scope: AccountScope,
  subject: SharedSubject,
  { token, timeZone }: { token: string; timeZone: string },
): Promise<boolean> {
  const { rows } = await sql`
    with owned as (
      select id from ${subjectTable(subject)}
      where account_id = ${scope.accountId} and id = ${subject.id} ${excludeUnlisted(subject)}
      for key share
    ), added as (
      insert into shared_statistics (account_id, token, time_zone, ${subjectColumn(subject)})
      select ${scope.accountId}, ${token}, ${timeZone}, id from owned
      on conflict do nothing
    )
    select 1 from owned`.execute(unscoped(scope))
  return rows.length > 0
}

/** Returns the token of the page of a link or campaign, or undefined if there is none. */
export async function findSharedToken(
  scope: AccountScope,
  subject: SharedSubject,
): Promise<string | undefined> {
  const row = await own(scope)
    .selectFrom('shared_statistics')
    .select('token')
    .where(subject.kind === 'link' ? 'link_id' : 'campaign_id', '=', subject.id)
    .executeTakeFirst()
  return row?.token
}

export async function revokePage(scope: AccountScope, subject: SharedSubject): Promise<void> {
  await own(scope)
    .deleteFrom('shared_statistics')
    .where(subject.kind === 'link' ? 'link_id' : 'campaign_id', '=', subject.id)
    .execute()
}

/**
 * Returns the page with this token. Returns undefined if there is none, its account is suspended or
 * its link is in the trash.
 */
async function findPage(db: Db, token: string): Promise<SharedPage | undefined> {
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

/** Returns the path of a page. */
export function toSharedPath(token: string): string {
  return `/shared/${token}`
}

/** Returns whether a text has the format of a token, which is 32 random bytes. */
function isSharedToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text)
}

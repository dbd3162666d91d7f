import { sql } from 'kysely'
import { type AccountScope, own } from '../db/account-rows.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import type { Frequency } from './schedule.ts'

/** The link or campaign that a report is about. */
export type ReportSubject = { kind: 'link' | 'campaign'; id: number }

/** The member who gets a report. Without a subject, it is about the account. */
export type SubscriptionKey = {
  accountId: number
  userId: number
  subject?: ReportSubject | undefined
}

/** When the next report is due, and the first day (since 1970) that no report has covered yet. */
export type Schedule = { nextAt: Date; sentUntil: number }

export type DueSubscription = {
  id: number
  frequency: Frequency
  timeZone: string
  sentUntil: number
}

/** The data about a subscription and its recipient that a report needs. */
export type Recipient = {
  email: string
  language: string
  timeZone: string
  accountId: number
  /** The account's username. */
  account: string
  subject: ReportSubject | undefined
  /** The token of the unsubscribe link. */
  token: string
}

/** A subscription in a list. */
export type ListedSubscription = {
  id: number
  frequency: Frequency
  subject: ReportSubject
  /** The name of a campaign, or the title of a link. */
  name: string | null
  /** The alias of a link, and the origin of its domain. */
  alias: string | null
  origin: string | null
  isInTrash: boolean
}

function toColumns(subject: ReportSubject | undefined) {
  const idOf = (kind: ReportSubject['kind']) => (subject?.kind === kind ? subject.id : null)
  return { link_id: idOf('link'), campaign_id: idOf('campaign') }
}

function toSubject(row: ReturnType<typeof toColumns>): ReportSubject | undefined {
  if (row.link_id !== null) return { kind: 'link', id: row.link_id }
  return row.campaign_id === null ? undefined : { kind: 'campaign', id: row.campaign_id }
}

/** Returns the rows of a key: at most one. */
function selectKey(db: Db, { accountId, userId, subject }: SubscriptionKey) {
  const { link_id, campaign_id } = toColumns(subject)
  return db
    .selectFrom('report_subscriptions')
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .where('link_id', 'is not distinct from', link_id)
    .where('campaign_id', 'is not distinct from', campaign_id)
}

export async function findFrequency(db: Db, key: SubscriptionKey): Promise<Frequency | undefined> {
  return (await selectKey(db, key).select('frequency').executeTakeFirst())?.frequency
}

/** Lists a member's subscriptions to links and campaigns of an account, oldest first. */
export async function listSubscriptions(
  scope: AccountScope,
  userId: number,
): Promise<ListedSubscription[]> {
  const rows = await own(scope)
    .selectFrom('report_subscriptions as r')
    .leftJoin('links as l', 'l.id', 'r.link_id')
    .leftJoin('domains as d', 'd.id', 'l.domain_id')
    .leftJoin('campaigns as c', 'c.id', 'r.campaign_id')
    .select(['r.id', 'r.frequency', 'r.link_id', 'r.campaign_id'])
    .select(['l.alias', 'l.meta_title', 'l.kind', 'd.origin', 'c.name'])
    .where('r.user_id', '=', userId)
    .orderBy('r.id')
    .execute()
  return rows.flatMap(({ id, frequency, alias, origin, ...row }) => {
    const subject = toSubject(row)
    const name = row.name ?? row.meta_title
    return subject
      ? [{ id, frequency, subject, name, alias, origin, isInTrash: row.kind === 'deleted' }]
      : []
  })
}

/**
 * Creates or changes a subscription. The token of an existing subscription does not change. Returns
 * false if the member would have more than `max`, or has left the account.
 */
export async function saveSubscription(
  db: Db,
  key: SubscriptionKey,
  max: number,
  { frequency, token, nextAt, sentUntil }: Schedule & { frequency: Frequency; token: string },
): Promise<boolean> {
  const { accountId, userId, subject } = key
  const { link_id, campaign_id } = toColumns(subject)
  return inTransaction(db, async (tx) => {
    // Subscriptions of a member are counted one after the other.
    await tx
      .selectFrom('members')
      .select('role')
      .where('account_id', '=', accountId)
      .where('user_id', '=', userId)
      .forNoKeyUpdate()
      .execute()
    const { rows } = await sql`
      insert into report_subscriptions
        (account_id, user_id, link_id, campaign_id, frequency, token, next_at, sent_until)
      select account_id, user_id, ${link_id}::bigint, ${campaign_id}::bigint,
        ${frequency}, ${token}, ${nextAt}::timestamptz, ${sentUntil}::integer
      from members where account_id = ${accountId} and user_id = ${userId} and (
        ${selectKey(tx, key).select('id')} is not null
        or (select count(*) from report_subscriptions
          where account_id = ${accountId} and user_id = ${userId}) < ${max})
      on conflict on constraint report_subscriptions_subject_key do update set
        (frequency, next_at, sent_until) = row(excluded.frequency, excluded.next_at, excluded.sent_until)
      returning id`.execute(tx)
    return rows.length > 0
  })
}

/** Ends a member's subscription. */
export async function deleteSubscription(db: Db, key: SubscriptionKey): Promise<void> {
  const ids = selectKey(db, key).select('id')
  await db.deleteFrom('report_subscriptions').where('id', 'in', ids).execute()
}

/** Ends a member's subscription by its id. Returns whether it existed. */
export async function deleteSubscriptionById(
  scope: AccountScope,
  { userId, id }: { userId: number; id: number },
): Promise<boolean> {
  const { numDeletedRows } = await own(scope)
    .deleteFrom('report_subscriptions')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function deleteSubscriptionByToken(db: Db, token: string): Promise<void> {
  await db.deleteFrom('report_subscriptions').where('token', '=', token).execute()
}

/**
 * Locks and returns a due subscription on which no other process is working, or returns undefined
 * if there is none.
 */
export async function lockDueSubscription(tx: Tx, now: Date): Promise<DueSubscription | undefined> {
  const row = await tx
    .selectFrom('report_subscriptions as r')
    .innerJoin('users as u', 'u.id', 'r.user_id')
    .select(['r.id', 'r.frequency', 'r.sent_until as sentUntil', 'u.time_zone as timeZone'])
    .where('r.next_at', '<=', now)
    .orderBy('r.next_at')
    .limit(1)
    .forUpdate('r')
    .skipLocked()
    .executeTakeFirst()
  return row
}

export async function updateSchedule(
  tx: Tx,
  id: number,
  { nextAt, sentUntil }: Schedule,
): Promise<void> {
  await tx
    .updateTable('report_subscriptions')
    .set({ next_at: nextAt, sent_until: sentUntil })
    .where('id', '=', id)
    .execute()
}

/** Returns the recipient, unless the subscription has ended or the account is suspended. */
export async function findRecipient(db: Db, id: number): Promise<Recipient | undefined> {
  const row = await db
    .selectFrom('report_subscriptions as r')
    .innerJoin('users as u', 'u.id', 'r.user_id')
    .innerJoin('accounts as a', 'a.id', 'r.account_id')
    .select(['u.email', 'u.language', 'u.time_zone', 'a.username', 'r.token'])
    .select(['r.account_id', 'r.link_id', 'r.campaign_id'])
    .where('r.id', '=', id)
    .where('a.suspended_at', 'is', null)
    .executeTakeFirst()
  return (
    row && {
      email: row.email,
      language: row.language,
      timeZone: row.time_zone,
      accountId: row.account_id,
      account: row.username,
      subject: toSubject(row),
      token: row.token,
    }
  )
}

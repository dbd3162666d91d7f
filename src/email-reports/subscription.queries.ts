import type { Db } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import type { Frequency } from './schedule.ts'

export type SubscriptionKey = { accountId: number; userId: number }

/** When the next report is due, and the first day (since 1970) that no report has covered yet. */
export type Schedule = { nextAt: Date; sentUntil: number }

export type DueSubscription = SubscriptionKey & {
  frequency: Frequency
  timeZone: string
  sentUntil: number
}

/** The data about the recipient that a report needs. */
export type Recipient = {
  email: string
  language: string
  timeZone: string
  /** The account's username. */
  account: string
  /** The token of the unsubscribe link. */
  token: string
}

export async function findFrequency(
  db: Db,
  { accountId, userId }: SubscriptionKey,
): Promise<Frequency | undefined> {
  const row = await db
    .selectFrom('report_subscriptions')
    .select('frequency')
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.frequency
}

/** Creates or changes a subscription. The token of an existing subscription does not change. */
export async function saveSubscription(
  db: Db,
  { accountId, userId }: SubscriptionKey,
  { frequency, token, nextAt, sentUntil }: Schedule & { frequency: Frequency; token: string },
): Promise<void> {
  const schedule = { frequency, next_at: nextAt, sent_until: sentUntil }
  await db
    .insertInto('report_subscriptions')
    .values({ account_id: accountId, user_id: userId, token, ...schedule })
    .onConflict((conflict) => conflict.columns(['account_id', 'user_id']).doUpdateSet(schedule))
    .execute()
}

export async function deleteSubscription(
  db: Db,
  { accountId, userId }: SubscriptionKey,
): Promise<void> {
  await db
    .deleteFrom('report_subscriptions')
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .execute()
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
    .select(['r.account_id', 'r.user_id', 'r.frequency', 'r.sent_until', 'u.time_zone'])
    .where('r.next_at', '<=', now)
    .orderBy('r.next_at')
    .limit(1)
    .forUpdate('r')
    .skipLocked()
    .executeTakeFirst()
  return (
    row && {
      accountId: row.account_id,
      userId: row.user_id,
      frequency: row.frequency,
      timeZone: row.time_zone,
      sentUntil: row.sent_until,
    }
  )
}

export async function updateSchedule(
  tx: Tx,
  { accountId, userId }: SubscriptionKey,
  { nextAt, sentUntil }: Schedule,
): Promise<void> {
  await tx
    .updateTable('report_subscriptions')
    .set({ next_at: nextAt, sent_until: sentUntil })
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .execute()
}

/** Returns the recipient, unless the subscription has ended or the account is suspended. */
export async function findRecipient(
  db: Db,
  { accountId, userId }: SubscriptionKey,
): Promise<Recipient | undefined> {
  const row = await db
    .selectFrom('report_subscriptions as r')
    .innerJoin('users as u', 'u.id', 'r.user_id')
    .innerJoin('accounts as a', 'a.id', 'r.account_id')
    .select(['u.email', 'u.language', 'u.time_zone', 'a.username', 'r.token'])
    .where('r.account_id', '=', accountId)
    .where('r.user_id', '=', userId)
    .where('a.suspended_at', 'is', null)
    .executeTakeFirst()
  return (
    row && {
      email: row.email,
      language: row.language,
      timeZone: row.time_zone,
      account: row.username,
      token: row.token,
    }
  )
}

import { sql } from 'kysely'
import { type OnClicks, visitorNumber } from '../clicks/import.ts'
import { type PublishedClicks, publish } from '../db/notify.ts'
import type { Db } from '../db/pool.ts'
import type { AccountScope } from '../scope.ts'

/** Each click is published as three numbers: link, visitor and Unix time. */
const NUMBERS_PER_CLICK = 3
/**
 * The number of clicks per notification. A click takes up to 40 bytes, and the payload of a
 * PostgreSQL notification must be shorter than 8000 bytes.
 */
const CLICKS_PER_NOTIFICATION = 190
/**
 * The maximum number of notifications per account and batch. Visitors of additional clicks are not
 * counted as recent visitors.
 */
const MAX_NOTIFICATIONS = 50
const MAX_NUMBERS = NUMBERS_PER_CLICK * CLICKS_PER_NOTIFICATION * MAX_NOTIFICATIONS

/**
 * Publishes the clicks of followed accounts in the transaction that imports the clicks. If no
 * account is followed, this only queries one small table.
 */
export const publishClicks: OnClicks = async (tx, { grouped }, accountIds) => {
  const followed = await findFollowedAccounts(tx)
  if (followed.size === 0) return
  const numbersByAccount = new Map(Array.from(followed, (accountId) => [accountId, [] as number[]]))
  for (const [position, linkId] of grouped.links.entries()) {
    const numbers = numbersByAccount.get(accountIds.get(linkId) ?? 0)
    if (numbers) addClicks(numbers, linkId, position, grouped)
  }
  await publish(
    tx,
    Array.from(numbersByAccount, (entry) => splitIntoNotifications(...entry)).flat(),
  )
}

function splitIntoNotifications(accountId: number, numbers: readonly number[]): PublishedClicks[] {
  const parts: PublishedClicks[] = []
  for (
    let start = 0;
    start < numbers.length;
    start += NUMBERS_PER_CLICK * CLICKS_PER_NOTIFICATION
  ) {
    parts.push({
      accountId,
      clicks: numbers.slice(start, start + NUMBERS_PER_CLICK * CLICKS_PER_NOTIFICATION),
    })
  }
  return parts
}

function addClicks(
  numbers: number[],
  linkId: number,
  position: number,
  { clicks, starts }: Parameters<OnClicks>[1]['grouped'],
): void {
  const end = starts[position + 1] as number
  for (let row = starts[position] as number; row < end; row += 1) {
    if (clicks.crawler[row] === 1) continue
    if (numbers.length >= MAX_NUMBERS) return
    const visitor = visitorNumber(
      clicks.visitorLow[row] as number,
      clicks.visitorHigh[row] as number,
    )
    numbers.push(linkId, visitor, Math.floor((clicks.at[row] as number) / 1000))
  }
}

/** Starts publishing an account's clicks for a number of seconds. */
export async function followAccount(scope: AccountScope, seconds: number): Promise<void> {
  const until = sql<Date>`now() + ${seconds}::int * interval '1 second'`
  await scope.db
    .insertInto('followed_accounts')
    .values({ account_id: scope.accountId, until })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ until }))
    .execute()
}

/** Returns the accounts whose clicks are published. */
async function findFollowedAccounts(db: Db): Promise<Set<number>> {
  const rows = await db
    .selectFrom('followed_accounts')
    .select('account_id')
    .where('until', '>', sql<Date>`now()`)
    .execute()
  return new Set(rows.map(({ account_id }) => account_id))
}

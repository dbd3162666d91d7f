import type { Db } from '../db/pool.ts'
import {
  countHit,
  DAILY_PREFIX,
  DAY_SECONDS,
  hasHits,
  removeHit,
} from '../db/rate-window.queries.ts'

const HOUR_SECONDS = 3600
/** The maximum number of emails per account and hour. */
const MAILS_PER_ACCOUNT = 20
/** The maximum number of reset links per user and hour. */
const RESETS_PER_USER = 3

/** A limit on emails, and whether they may use the half of MAILS_PER_HOUR that is reserved. */
export type MailLimit = { subject: string; max: number; isReserved: boolean }

/**
 * Returns the limit of the account on whose behalf an email is sent. `isReserved` must be false if
 * strangers could cause many such emails.
 */
export function createAccountLimit(accountId: number, { isReserved = false } = {}): MailLimit {
  return { subject: `${DAILY_PREFIX}mail:${accountId}`, max: MAILS_PER_ACCOUNT, isReserved }
}

/**
 * Returns the limit of reset links for a user. They do not count toward the limits of accounts,
 * because strangers can request them. Only the first link of a day may use the reserved half.
 */
export async function createResetLimit(db: Db, userId: number): Promise<MailLimit> {
  const subject = `${DAILY_PREFIX}resets:${userId}`
  return { subject, max: RESETS_PER_USER, isReserved: !(await hasHits(db, subject, DAY_SECONDS)) }
}

type Reservation =
  | { rejection?: undefined; undo: () => Promise<void> }
  | { rejection: 'own' | 'installation'; undo?: undefined }

/**
 * Counts an email toward a limit and for the entire installation, in windows of an hour. Exact
 * across processes. `perHour` is the limit of the installation, of which half is reserved. Returns
 * the function that undoes the count, or, if the email would exceed a limit, that limit. In that
 * case, nothing is counted.
 */
export async function reserveMail(
  db: Db,
  { subject: ownSubject, max: ownMax, isReserved }: MailLimit,
  perHour: number,
): Promise<Reservation> {
  const limits = [
    ['own', ownSubject, ownMax],
    ['installation', `${DAILY_PREFIX}mail`, isReserved ? perHour : Math.ceil(perHour / 2)],
  ] as const
  const counted: { subject: string; startedAt: string }[] = []
  const undo = async () => {
    for (const { subject, startedAt } of counted) await removeHit(db, subject, startedAt)
  }
  for (const [rejection, subject, max] of limits) {
    const { hits, startedAt } = await countHit(db, subject, HOUR_SECONDS)
    counted.push({ subject, startedAt })
    if (hits <= max) continue
    await undo()
    return { rejection }
  }
  return { undo }
}

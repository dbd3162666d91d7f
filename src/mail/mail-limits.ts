import { countHit, DAILY_PREFIX, removeHit } from '../accounts/rate-window.queries.ts'
import type { Db } from '../db/pool.ts'

const HOUR_SECONDS = 3600
/** The maximum number of emails per account and hour. */
const MAILS_PER_ACCOUNT = 20

type Reservation =
  | { rejection?: undefined; undo: () => Promise<void> }
  | { rejection: 'account' | 'installation'; undo?: undefined }

/**
 * Counts an email for an account and for the entire installation, in windows of an hour. Exact
 * across processes. `perHour` is the limit of the installation. Returns the function that undoes
 * the count, or, if the email would exceed a limit, that limit. In that case, nothing is counted.
 */
export async function reserveMail(
  db: Db,
  accountId: number,
  perHour: number,
): Promise<Reservation> {
  const limits = [
    ['account', `${DAILY_PREFIX}mail:${accountId}`, MAILS_PER_ACCOUNT],
    ['installation', `${DAILY_PREFIX}mail`, perHour],
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

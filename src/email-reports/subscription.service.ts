import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { invalid } from '../errors.ts'
import { generateToken, isWellFormedToken } from '../identity/session.ts'
import { FREQUENCIES, type Frequency, findLastPeriodEnd, findNextReportTime } from './schedule.ts'
import * as queries from './subscription.queries.ts'

/** How often a member gets the report of an account, or `off`. */
export type ReportSetting = Frequency | 'off'

/** Returns how often a member gets the report of an account. */
export async function getReportSetting(
  db: Db,
  key: queries.SubscriptionKey,
): Promise<ReportSetting> {
  return (await queries.findFrequency(db, key)) ?? 'off'
}

/**
 * Changes how often a member gets the report of an account. The first report covers the current
 * period.
 *
 * @throws AppError `invalid_input` naming `frequency`
 */
export async function setReportSetting(
  { clock }: Pick<Context, 'clock'>,
  db: Db,
  key: queries.SubscriptionKey,
  { setting, timeZone }: { setting: string; timeZone: string },
): Promise<void> {
  if (setting === 'off') return queries.deleteSubscription(db, key)
  const frequency = FREQUENCIES.find((each) => each === setting)
  if (!frequency) throw invalid('frequency', 'one_of_off', { choices: FREQUENCIES.join(', ') })
  const now = clock().getTime()
  await queries.saveSubscription(db, key, {
    frequency,
    token: generateToken(),
    nextAt: findNextReportTime(frequency, timeZone, now),
    sentUntil: findLastPeriodEnd(frequency, timeZone, now),
  })
}

/** Ends the subscription to which an unsubscribe link belongs, if it still exists. */
export async function unsubscribe(db: Db, token: string): Promise<void> {
  if (isWellFormedToken(token)) await queries.deleteSubscriptionByToken(db, token)
}

import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { AppError, invalid } from '../errors.ts'
import { generateToken, isWellFormedToken } from '../identity/session.ts'
import { getLink } from '../links/link.service.ts'
import { shortLinkText } from '../pages/short-link-text.ts'
import { getCampaignLinkIds } from '../resources/campaign-links.ts'
import { campaigns } from '../resources/campaigns.ts'
import type { AccountScope, Scope } from '../scope.ts'
import { shortUrlOf } from '../urls/short-url.ts'
import { FREQUENCIES, type Frequency, findLastPeriodEnd, findNextReportTime } from './schedule.ts'
import type { ReportSubject } from './subscription.queries.ts'
import * as queries from './subscription.queries.ts'

export type { ReportSubject }

/** How often a member gets a report, or `off`. */
export type ReportSetting = Frequency | 'off'

/** A member's subscription to a link or campaign. */
export type Subscription = Pick<
  queries.ListedSubscription,
  'id' | 'frequency' | 'subject' | 'isInTrash'
> & { name: string }

/** What a report is about, with the links whose clicks it counts. */
export type ReportedSubject = ReportSubject & {
  name: string
  /** The short URL of a link whose name is its title. */
  short?: string
  linkIds: readonly number[]
}

/** The maximum number of subscriptions of a member. */
const MAX_SUBSCRIPTIONS = 50

/** Returns how often a member gets a report. */
export async function getReportSetting(
  db: Db,
  key: queries.SubscriptionKey,
): Promise<ReportSetting> {
  return (await queries.findFrequency(db, key)) ?? 'off'
}

/**
 * Changes how often a member gets a report. The first report covers the current period. Whether the
 * account has the subject is up to the caller.
 *
 * @throws AppError `invalid_input` naming `frequency`, `not_found` if the subject was just deleted
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
  const isSaved = await queries.saveSubscription(db, key, MAX_SUBSCRIPTIONS, {
    frequency,
    token: generateToken(),
    nextAt: findNextReportTime(frequency, timeZone, now),
    sentUntil: findLastPeriodEnd(frequency, timeZone, now),
  })
  if (!isSaved) throw invalid('frequency', 'reports_full', { max: MAX_SUBSCRIPTIONS })
}

/** Lists a member's subscriptions to links and campaigns of an account, oldest first. */
export async function listSubscriptions(
  scope: AccountScope & Pick<Context, 'config'>,
  userId: number,
): Promise<Subscription[]> {
  const subscriptions = await queries.listSubscriptions(scope, userId)
  return subscriptions.map(({ name, alias, origin, ...subscription }) => ({
    ...subscription,
    name: name || shortLinkText(shortUrlOf(origin ?? scope.config.baseUrl, alias ?? '')),
  }))
}

/** Ends a member's subscription. @throws AppError `not_found` */
export async function endSubscription(
  scope: AccountScope,
  subscription: { userId: number; id: number },
): Promise<void> {
  if (!(await queries.deleteSubscriptionById(scope, subscription))) throw new AppError('not_found')
}

/** Ends the subscription to which an unsubscribe link belongs, if it still exists. */
export async function unsubscribe(db: Db, token: string): Promise<void> {
  if (isWellFormedToken(token)) await queries.deleteSubscriptionByToken(db, token)
}

/**
 * Returns the subject of a report with its name and links. Returns undefined if it was deleted, which
 * includes links in the trash.
 */
export async function findReportedSubject(
  scope: Scope<Context>,
  { kind, id }: ReportSubject,
): Promise<ReportedSubject | undefined> {
  try {
    if (kind === 'link') {
      const { metaTitle, shortUrl } = await getLink(scope, id)
      const short = shortLinkText(shortUrl)
      return { kind, id, name: metaTitle || short, ...(metaTitle && { short }), linkIds: [id] }
    }
    const [{ name }, linkIds] = await Promise.all([
      campaigns.get(scope, id),
      getCampaignLinkIds(scope, id),
    ])
    return { kind, id, name, linkIds }
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined
    throw error
  }
}

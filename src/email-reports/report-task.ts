import type { Task } from 'graphile-worker'
import { readStatistics } from '../clicks/read.ts'
import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { readLinkNames } from '../links/link-list.service.ts'
import { sendMail } from '../mail/mail-job.ts'
import { createAccountLimit } from '../mail/mail-limits.ts'
import type { Mail, Mailer } from '../mail/mailer.ts'
import { shortLinkText } from '../pages/short-link-text.ts'
import { readLanguage } from '../people/user-settings.ts'
import { createReportMail } from './report-mail.ts'
import { type Frequency, getPeriodsBefore } from './schedule.ts'
import { findRecipient, type Recipient } from './subscription.queries.ts'

export const REPORT_TASK = 'mail-report'

/** The report on the week or month before the day `end` (in days since 1970). */
export type ReportJob = { accountId: number; userId: number; frequency: Frequency; end: number }

/** The number of entries in each list. */
const LIST_LENGTH = 5

/**
 * Creates the task that emails a report. It sends nothing if the member has unsubscribed or left
 * the account, or if the account is suspended.
 */
export function createReportTask(ctx: Context, db: Db, mailer: Mailer): Task {
  return async (payload, helpers) => {
    const job = payload as ReportJob
    const { accountId } = job
    if (!(await findRecipient(db, job))) return
    const limit = createAccountLimit(accountId)
    await sendMail(ctx, db, { mailer, limit, mayWait: true, ...helpers }, async () => {
      const recipient = await findRecipient(db, job)
      return recipient && composeReport(ctx, db, job, recipient)
    })
  }
}

async function composeReport(
  ctx: Context,
  db: Db,
  { accountId, frequency, end }: ReportJob,
  { email, account, token, timeZone, language }: Recipient,
): Promise<Mail> {
  const { period, before } = getPeriodsBefore(frequency, end)
  const statistics = await readStatistics(ctx, db, {
    scope: { accountId },
    period: { ...period, interval: 'day' },
    zone: timeZone,
    filters: {},
    compare: before,
    limit: LIST_LENGTH,
  })
  const ids = statistics.links.map(({ linkId }) => linkId)
  const names = await readLinkNames(ctx, db, accountId, ids)
  const { baseUrl } = ctx.config
  return createReportMail({
    to: email,
    language: readLanguage(language),
    account,
    frequency,
    period,
    host: new URL(baseUrl).host,
    clicks: { now: statistics.clicks, before: statistics.comparison?.clicks ?? 0 },
    newVisitors: { now: statistics.newVisitors, before: statistics.comparison?.newVisitors ?? 0 },
    lists: {
      links: statistics.links.flatMap(({ linkId, clicks }) => {
        const name = names.get(linkId)
        return name ? [{ label: shortLinkText(name.shortUrl), clicks }] : []
      }),
      countries: statistics.countries,
      referrers: statistics.referrers,
    },
    consoleUrl: `${baseUrl}/console/analytics`,
    settingsUrl: `${baseUrl}/console/settings`,
    unsubscribeUrl: `${baseUrl}/console/unsubscribe/${token}`,
  })
}

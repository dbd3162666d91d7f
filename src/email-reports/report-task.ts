import { html, type SafeHtml } from '@remix-run/html-template'
import type { Task } from 'graphile-worker'
import { readStatistics } from '../clicks/read.ts'
import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { readLanguage } from '../identity/user.ts'
import { readLinkNames } from '../links/link-list.service.ts'
import { sendMail } from '../mail/mail-job.ts'
import { createAccountLimit } from '../mail/mail-limits.ts'
import type { Mail, Mailer } from '../mail/mailer.ts'
import { shortLinkText } from '../pages/short-link-text.ts'
import { scopeOf } from '../scope.ts'
import { findChosenName } from '../site-name.ts'
import { runWithLocale, t, type UserLanguage } from '../texts.ts'
import { type Frequency, getPeriodsBefore } from './schedule.ts'
import { findRecipient, type Recipient } from './subscription.queries.ts'
import { findReportedSubject, type ReportedSubject } from './subscription.service.ts'

type Count = { now: number; before: number }

/** `note` is the short URL of a link whose label is its title. */
type Entry = { label: string; note?: string; clicks: number }

type Report = {
  to: string
  language: UserLanguage
  /** The account's username. */
  account: string
  /** The link or campaign, unless the report is about the account. */
  subject: ReportedSubject | undefined
  host: string
  /** The name of the installation, unless it is the default. */
  siteName: string | undefined
  frequency: Frequency
  /** Days since 1970, both inclusive. */
  period: { from: number; to: number }
  clicks: Count
  newVisitors: Count
  lists: Record<'links' | 'countries' | 'referrers', readonly Entry[]>
  consoleUrl: string
  settingsUrl: string
  unsubscribeUrl: string
}

/** A report in which every number and date is a text. */
type ReportText = {
  title: string
  intro: string
  figures: { name: string; count: string; change: string }[]
  lists: { title: string; entries: { label: string; note?: string; clicks: string }[] }[]
}

const DAY_MS = 86_400_000

const FONT = 'font-family:system-ui,sans-serif;line-height:1.5;color:#1c1c1e'

const SECONDARY_TEXT = 'color:#5b5b66;font-size:14px'

const CELL = 'padding:4px 0;border-bottom:1px solid #e4e4ea;text-align:start'

const NUMBER = 'padding:4px 0 4px 16px;border-bottom:1px solid #e4e4ea;text-align:end'

export const REPORT_TASK = 'mail-report'

/**
 * A report to the recipient of a subscription, on the week or month before the day `end` (in days
 * since 1970).
 */
export type ReportJob = { id: number; frequency: Frequency; end: number }

/** The maximum number of characters of a link's title in a subject. */
const MAX_NAME = 100
/** The number of entries in each list. */
const LIST_LENGTH = 5

/**
 * Creates the task that emails a report. It sends nothing if the member has unsubscribed or left
 * the account, if the account is suspended, or if the link is in the trash.
 */
export function createReportTask(ctx: Context, db: Db, mailer: Mailer): Task {
  return async (payload, helpers) => {
    const job = payload as ReportJob
    const first = await findRecipient(db, job.id)
    if (!first) return
    const limit = createAccountLimit(first.accountId)
    await sendMail(ctx, db, { mailer, limit, mayWait: true, ...helpers }, async () => {
      const recipient = await findRecipient(db, job.id)
      return recipient && composeReport(ctx, db, job, recipient)
    })
  }
}

async function composeReport(
  ctx: Context,
  db: Db,
  { frequency, end }: ReportJob,
  { email, accountId, account, subject: about, token, timeZone, language }: Recipient,
): Promise<Mail | undefined> {
  const scope = scopeOf({ ...ctx, db }, accountId)
  const subject = about && (await findReportedSubject(scope, about))
  if (about && !subject) return undefined
  const { period, before } = getPeriodsBefore(frequency, end)
  const statistics = await readStatistics(ctx, db, {
    scope: { accountId, linkIds: subject?.linkIds },
    period: { ...period, interval: 'day' },
    zone: timeZone,
    filters: {},
    compare: before,
    limit: LIST_LENGTH,
  })
  const ids = about?.kind === 'link' ? [] : statistics.links.map(({ linkId }) => linkId)
  const names = await readLinkNames(scope, ids)
  const { baseUrl } = ctx.config
  return createReportMail({
    to: email,
    language: readLanguage(language),
    account,
    subject,
    frequency,
    period,
    host: new URL(baseUrl).host,
    siteName: findChosenName(ctx.config),
    clicks: { now: statistics.clicks, before: statistics.comparison?.clicks ?? 0 },
    newVisitors: { now: statistics.newVisitors, before: statistics.comparison?.newVisitors ?? 0 },
    lists: {
      links: statistics.links.flatMap(({ linkId, clicks }) => {
        const name = names.get(linkId)
        if (!name) return []
        const short = shortLinkText(name.shortUrl)
        return name.metaTitle
          ? [{ label: name.metaTitle, note: short, clicks }]
          : [{ label: short, clicks }]
      }),
      countries: statistics.countries,
      referrers: statistics.referrers,
    },
    consoleUrl: `${baseUrl}/console/${subject ? `${subject.kind}s/${subject.id}` : 'analytics'}`,
    settingsUrl: `${baseUrl}/console/settings`,
    unsubscribeUrl: `${baseUrl}/console/unsubscribe/${token}`,
  })
}

/**
 * Writes the email with a report, as plain text and as HTML. Mail programs can unsubscribe by
 * themselves, with a POST request to the URL in its headers (RFC 8058).
 */
function createReportMail(report: Report): Mail {
  return runWithLocale(report, () => createLocalizedMail(report))
}

function createLocalizedMail(report: Report): Mail {
  const { account, subject, host, siteName: name, frequency, unsubscribeUrl } = report
  const span = formatSpan(report)
  const about = subject ? shorten(subject.name) : account
  const title = t(`mail.report.titles.${frequency}`)
  const reportText = {
    title,
    intro: subject
      ? t(`mail.report.introOf.${subject.kind}`, {
          name: describeSubject(subject),
          account,
          host,
          span,
        })
      : t('mail.report.intro', { account, host, span }),
    figures: [
      createFigure(report, t('mail.report.clicks'), report.clicks),
      createFigure(report, t('mail.report.newVisitors'), report.newVisitors),
    ],
    lists: createLists(report),
  }
  return {
    to: report.to,
    subject: name
      ? t('mail.report.subjectOnSite', { title, account: about, name, span })
      : t('mail.report.subject', { title, account: about, span }),
    text: renderPlainText(report, reportText),
    html: String(renderHtml(report, reportText)),
    headers: {
      'List-Unsubscribe': `<${unsubscribeUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  }
}

/** Returns a name that fits into a subject. */
function shorten(name: string): string {
  const characters = [...name]
  return characters.length > MAX_NAME ? `${characters.slice(0, MAX_NAME).join('')}…` : name
}

function describeSubject({ name, short }: ReportedSubject): string {
  return short ? `${name} (${short})` : name
}

function createFigure({ language, frequency }: Report, name: string, { now, before }: Count) {
  const number = new Intl.NumberFormat(language)
  const percent = new Intl.NumberFormat(language, { style: 'percent' })
  const share = before > 0 ? Math.abs(now - before) / before : 0
  const parts = [
    ...(now === before ? [t('mail.report.unchanged')] : []),
    ...(now !== before && before > 0
      ? [`${now > before ? '↑' : '↓'} ${percent.format(share)}`]
      : []),
    t(`mail.report.before.${frequency}`, { count: number.format(before) }),
  ]
  return { name, count: number.format(now), change: parts.join(' ') }
}

function createLists({ language, clicks, lists }: Report): ReportText['lists'] {
  if (clicks.now === 0) return []
  const number = new Intl.NumberFormat(language)
  return (['links', 'countries', 'referrers'] as const).flatMap((name) => {
    const entries = lists[name].map((entry) => ({
      ...entry,
      clicks: number.format(entry.clicks),
    }))
    return entries.length > 0 ? [{ title: t(`mail.report.lists.${name}`), entries }] : []
  })
}

function renderPlainText(report: Report, { intro, figures, lists }: ReportText): string {
  const sections = [
    intro,
    figures.map(({ name, count, change }) => `${name}: ${count} (${change})`).join('\n'),
    ...(report.clicks.now === 0 ? [t('mail.report.noClicks')] : []),
    ...lists.map(({ title, entries }) =>
      [
        title,
        ...entries.map(
          ({ label, note, clicks }) => `- ${label}${note ? ` (${note})` : ''}: ${clicks}`,
        ),
      ].join('\n'),
    ),
    `${t('mail.report.open')}:\n${report.consoleUrl}`,
    `${t('mail.report.reason')}\n${t('mail.report.settings')}: ${report.settingsUrl}\n${t('mail.report.unsubscribe')}: ${report.unsubscribeUrl}`,
  ]
  return `${sections.join('\n\n')}\n`
}

/** Renders the HTML. Mail programs support inline styles, but no scripts or style sheets. */
function renderHtml(report: Report, { title, intro, figures, lists }: ReportText): SafeHtml {
  const { language, consoleUrl, settingsUrl, unsubscribeUrl } = report
  return html`<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head>
<body style="margin:0;background:#ffffff">
<div style="max-width:560px;margin:0 auto;padding:24px;${FONT}">
<h1 style="font-size:22px;margin:0 0 8px">${title}</h1>
<p style="margin:0 0 24px" dir="auto">${intro}</p>
${figures.map(({ name, count, change }) => html`<p style="margin:0 0 16px">${name}<br><strong style="font-size:28px">${count}</strong><br><span style="${SECONDARY_TEXT}">${change}</span></p>\n`)}
${report.clicks.now === 0 ? html`<p>${t('mail.report.noClicks')}</p>` : null}
${lists.map(
  (list) => html`<h2 style="font-size:16px;margin:24px 0 4px">${list.title}</h2>
<table role="presentation" style="width:100%;border-collapse:collapse">${list.entries.map(({ label, note, clicks }) => html`<tr><td style="${CELL};word-break:break-word" dir="auto">${label}${note ? html`<br><span style="${SECONDARY_TEXT}">${note}</span>` : null}</td><td style="${NUMBER}">${clicks}</td></tr>`)}</table>\n`,
)}
<p style="margin:24px 0"><a href="${consoleUrl}" style="color:#0b5fff">${t('mail.report.open')}</a></p>
<p style="${SECONDARY_TEXT};margin:0">${t('mail.report.reason')}<br><a href="${settingsUrl}" style="color:#5b5b66">${t('mail.report.settings')}</a> · <a href="${unsubscribeUrl}" style="color:#5b5b66">${t('mail.report.unsubscribe')}</a></p>
</div>
</body>
</html>
`
}

function formatSpan({ language, period }: Report): string {
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' })
  // Replaces the narrow spaces around the dash, because subjects are plain text.
  return format
    .formatRange(new Date(period.from * DAY_MS), new Date(period.to * DAY_MS))
    .replaceAll(/\s/g, ' ')
}

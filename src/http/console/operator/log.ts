import { Readable } from 'node:stream'
import { html, type SafeHtml } from '@remix-run/html-template'
import { stringify } from 'csv-stringify/sync'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { ACTIONS, findAction } from '../../../operator-log/action.ts'
import type { LogLine } from '../../../operator-log/operator-log.service.ts'
import { listLogLines, readAllLogLines } from '../../../operator-log/operator-log.service.ts'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { removeUnstorable } from '../../../text.ts'
import { t } from '../../../texts.ts'
import { parseEnteredAlias, parseShortUrl, shortUrlOf } from '../../../urls/short-url.ts'
import { formatDate, formatTimestamp } from '../../timestamp.ts'
import { sendDownload } from '../kit/download.ts'
import { renderPager } from '../kit/pager.ts'
import { renderBlank, renderFinder, renderUntitledPanel } from '../kit/parts.ts'
import { buildPath, readPositiveInteger, readText } from '../kit/query.ts'
import { renderTable } from '../kit/table.ts'
import { formatSecond } from '../shell/format.ts'
import { defineAdminSubject } from './layout.ts'

const PATH = '/console/operator/log'
const PER_PAGE = 50
const MAX_SEARCH_LENGTH = 2000

/** Registers the admin log, newest first: a page and a CSV file. */
export function registerLogRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { clock, config } = ctx
  const { baseUrl } = config
  const { page } = defineAdminSubject(app, PATH)

  page('/log', 'viewer', async ({ query, session }) => {
    const form = readForm(query)
    const before = readPositiveInteger(query, 'before')
    const lines = await listLogLines(ctx.db, toLogFilter(form, baseUrl), {
      before,
      limit: PER_PAGE + 1,
    })
    const visibleLines = lines.slice(0, PER_PAGE)
    const last = lines.length > PER_PAGE ? visibleLines.at(-1) : undefined
    const pages = {
      newer: before === undefined ? undefined : buildPath(PATH, form),
      older: last && buildPath(PATH, { ...form, before: last.id }),
    }
    return {
      title: t('admin.log.title'),
      body: () => html`<div class="head">
<h1>${t('admin.log.title')}</h1>
<a class="button quiet small" href="${buildPath(`${PATH}.csv`, form)}" download>${t('admin.log.download')}</a>
</div>
<p class="soft">${t('admin.log.intro')}</p>
${renderLogFinder(form)}
${visibleLines.length > 0 ? renderUntitledPanel(t('admin.log.log'), renderLogTable(visibleLines, session.user.timeZone)) : renderEmptyState(form)}
${renderPager(pages)}`,
    }
  })

  page('/log.csv', 'viewer', async ({ query }, reply) => {
    const lines = readAllLogLines(ctx.db, toLogFilter(readForm(query), baseUrl))
    const name = `admin-log-${formatDate(clock())}.csv`
    return sendDownload(reply, {
      name,
      type: 'text/csv',
      content: Readable.from(generateCsv(lines)),
    })
  })
}

/** Renders lines of the log as a table. Times are in `zone`. */
export function renderLogTable(lines: readonly LogLine[], zone: string): SafeHtml {
  return renderTable(
    lines,
    [
      { head: t('admin.log.when'), cell: ({ at }) => formatSecond(at, zone) },
      { head: t('admin.log.who'), cell: ({ actor }) => actor },
      {
        head: t('admin.log.what'),
        unlabeled: true,
        cell: ({ action, subject, detail }) =>
          html`${describeAction(action)} <bdi class="subject">${shortLinkText(subject)}</bdi>${detail === null ? null : html`<span class="small soft under" dir="auto">${detail}</span>`}`,
      },
    ],
    { className: 'cards log', hasRowHeaders: false },
  )
}

function describeAction(action: string): string {
  const knownAction = findAction(action)
  return knownAction === undefined ? action : t(`admin.log.actions.${knownAction}`)
}

function renderLogFinder({ actor, action, subject }: ReturnType<typeof readForm>): SafeHtml {
  return renderFinder({
    action: PATH,
    fields: [
      {
        name: 'subject',
        label: t('admin.log.subject'),
        value: subject,
        placeholder: t('admin.log.subjectPlaceholder'),
        maxLength: MAX_SEARCH_LENGTH,
      },
      {
        name: 'actor',
        label: t('admin.log.actor'),
        value: actor,
        placeholder: t('admin.log.actorPlaceholder'),
        maxLength: 254,
      },
      {
        name: 'action',
        label: t('admin.log.action'),
        value: action,
        any: t('admin.any'),
        choices: ACTIONS.map((name) => [name, t(`admin.log.actions.${name}`)] as const),
      },
    ],
    submit: t('admin.search'),
    clear: t('admin.clear'),
  })
}

function renderEmptyState(form: ReturnType<typeof readForm>): SafeHtml {
  return Object.values(form).some((value) => value !== '')
    ? renderBlank(
        t('admin.noMatches'),
        t('admin.log.noMatches'),
        html`<a class="button quiet" href="${PATH}">${t('admin.clear')}</a>`,
      )
    : renderBlank(t('admin.noActivity'), t('admin.log.empty'))
}

function readForm(query: unknown) {
  const action = findAction(readText(query, 'action')) ?? ''
  const actor = readText(query, 'actor')
  const subject = readText(query, 'subject').slice(0, MAX_SEARCH_LENGTH)
  return { actor: actor.slice(0, MAX_SEARCH_LENGTH), action, subject }
}

/** Returns the filter for the log, without characters that PostgreSQL cannot store. */
function toLogFilter({ actor, action, subject }: ReturnType<typeof readForm>, baseUrl: string) {
  const name = removeUnstorable(subject)
  return {
    actor: removeUnstorable(actor) || undefined,
    action: action || undefined,
    subject: name === '' ? undefined : listNames(name, baseUrl),
  }
}

/**
 * Returns the names the log may have for a subject: as entered, and as the short URL of the link it
 * refers to.
 */
function listNames(input: string, baseUrl: string): string[] {
  const alias = parseEnteredAlias(input)
  const shortUrl = parseShortUrl(input.trim())
  return [
    input,
    ...(alias === undefined ? [] : [shortUrlOf(baseUrl, alias)]),
    ...(shortUrl ? ['https', 'http'] : []).map((scheme) =>
      shortUrlOf(`${scheme}://${shortUrl?.host}`, shortUrl?.alias ?? ''),
    ),
  ]
}

/** Generates the log as CSV. Escapes texts that a spreadsheet would run as formulas. */
async function* generateCsv(rows: AsyncIterable<LogLine>): AsyncGenerator<string> {
  const formatCsvLine = (cells: readonly unknown[], { bom = false } = {}) =>
    stringify([[...cells]], { bom, escape_formulas: true })
  yield formatCsvLine(['id', 'date', 'actor', 'action', 'subject', 'detail'], { bom: true })
  for await (const { id, at, actor, action, subject, detail } of rows) {
    yield formatCsvLine([id, formatTimestamp(at), actor, action, subject, detail])
  }
}

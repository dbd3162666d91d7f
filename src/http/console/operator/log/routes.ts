import { Readable } from 'node:stream'
import { stringify } from 'csv-stringify/sync'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../../../context.ts'
import { parseEnteredAlias, parseShortUrl, shortUrlOf } from '../../../../links/short-url.ts'
import { ACTIONS, findAction } from '../../../../operator/action.ts'
import type { LogLine } from '../../../../operator/log-line.ts'
import { listLogLines, readAllLogLines } from '../../../../operator/operator-log.service.ts'
import { removeUnstorable } from '../../../../text.ts'
import { t } from '../../../../texts.ts'
import { noSniffHeader } from '../../../no-sniffing.ts'
import { formatDate, formatTimestamp } from '../../../timestamp.ts'
import { pageFor } from '../../kit/roles.ts'
import { formatSecond } from '../../shell/format-day.ts'
import { sendConsolePage } from '../../shell/send.ts'
import { buildPath, readPositiveInteger, readText } from '../query.ts'
import { type LineView, renderLogPage } from './page.ts'

const PATH = '/console/operator/log'
const PER_PAGE = 50
const MAX_SEARCH_LENGTH = 2000

/** Registers the routes of the admin log: a page and a CSV file. */
export function registerLogRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { clock, config } = ctx
  const { baseUrl } = config

  app.route({
    ...pageFor('viewer'),
    url: '/log',
    handler: async ({ query, session }, reply) => {
      const form = readForm(query)
      const before = readPositiveInteger(query, 'before')
      const lines = await listLogLines(ctx.db, toLogFilter(form, baseUrl), {
        before,
        limit: PER_PAGE + 1,
      })
      const visibleLines = lines.slice(0, PER_PAGE)
      const last = lines.length > PER_PAGE ? visibleLines.at(-1) : undefined
      return sendConsolePage(reply, (frame) =>
        renderLogPage(frame, {
          lines: visibleLines.map((line) => presentLine(line, session.user.timeZone)),
          form,
          actions: ACTIONS.map((name) => ({ name, text: t(`admin.log.actions.${name}`) })),
          csvPath: buildPath(`${PATH}.csv`, form),
          newer: before === undefined ? undefined : buildPath(PATH, form),
          older: last && buildPath(PATH, { ...form, before: last.id }),
        }),
      )
    },
  })

  app.route({
    ...pageFor('viewer'),
    url: '/log.csv',
    handler: async ({ query }, reply) =>
      reply
        .type('text/csv; charset=utf-8')
        .headers({
          ...noSniffHeader,
          'cache-control': 'private, no-store',
          'content-disposition': `attachment; filename="admin-log-${formatDate(clock())}.csv"`,
        })
        .send(
          Readable.from(
            generateCsv(readAllLogLines(ctx.db, toLogFilter(readForm(query), baseUrl))),
          ),
        ),
  })
}

/** Formats a line of the log for display. */
export function presentLine(
  { at, actor, action, subject, detail }: LogLine,
  zone: string,
): LineView {
  const knownAction = findAction(action)
  const text = knownAction === undefined ? action : t(`admin.log.actions.${knownAction}`)
  return { at: formatSecond(at, zone), actor, action: text, subject, detail }
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

import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { exportLinks, type Format } from '../../../transfer/export.service.ts'
import { noSniffHeader } from '../../no-sniffing.ts'
import { formatDate } from '../../timestamp.ts'
import { formFor } from '../kit/roles.ts'
import type { OpenExport } from './export-limiter.ts'

const CONTENT_TYPES = {
  jsonl: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
} as const

/** Registers the routes that export all links of the account, streamed from the database. */
export function registerExportRoutes(
  app: FastifyInstance,
  ctx: HttpContext,
  openExport: OpenExport,
): void {
  const { clock } = ctx
  for (const format of ['jsonl', 'csv'] as const) {
    app.get(`/account/links.${format}`, formFor('editor'), ({ session: { account } }, reply) => {
      const readParts = () => exportLinks(ctx, ctx.db, account.id, format)
      return sendExport(reply, { account, format, readParts, openExport, now: clock() })
    })
  }
}

type Export = {
  account: { id: number; username: string }
  format: Format
  /** Reads the content of the file. */
  readParts: () => AsyncIterable<{ text: string }>
  openExport: OpenExport
  now: Date
}

/**
 * Sends exported links as a file.
 *
 * @throws AppError `busy` while the account has another export open
 */
export function sendExport(
  reply: FastifyReply,
  { account, format, readParts, openExport, now }: Export,
): FastifyReply {
  const file = openExport(account.id, () => Readable.from(readTexts(readParts())))
  const name = `brevis-links-${account.username}-${formatDate(now)}.${format}`
  return reply
    .type(CONTENT_TYPES[format])
    .headers({
      'cache-control': 'private, no-store',
      'content-disposition': `attachment; filename="${name}"`,
      ...noSniffHeader,
    })
    .send(file)
}

async function* readTexts(parts: AsyncIterable<{ text: string }>): AsyncGenerator<string> {
  for await (const { text } of parts) yield text
}

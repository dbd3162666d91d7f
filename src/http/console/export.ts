import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { scopeOf } from '../../scope.ts'
import { exportLinks, FORMATS, type Format } from '../../transfer/export.service.ts'
import { formatDate } from '../timestamp.ts'
import { sendDownload } from './kit/download.ts'
import { readText } from './kit/query.ts'
import { defineSubject } from './kit/subject.ts'

const CONTENT_TYPES: Record<Format, string> = {
  jsonl: 'application/x-ndjson',
  csv: 'text/csv',
}

/**
 * Opens the file of an account's links, or of those with the given ids, which is streamed from the
 * database.
 *
 * @throws AppError `busy` while the account has another export open in any format, because an export
 *   can read all links of the account
 */
export type OpenExport = (accountId: number, format: Format, ids?: readonly number[]) => Readable

/** Creates the function that opens exports. */
export function createExports(ctx: HttpContext): OpenExport {
  /** The ids of accounts with an open export. */
  const exporting = new Set<number>()
  return (accountId, format, ids) => {
    if (exporting.has(accountId)) throw new AppError('busy')
    exporting.add(accountId)
    const file = Readable.from(readTexts(exportLinks(scopeOf(ctx, accountId), format, ids)))
    // `close` is always emitted, even if the client disconnects before the stream starts.
    return file.once('close', () => exporting.delete(accountId))
  }
}

/** Registers the files with all links of the account. */
export function registerExportRoutes(
  app: FastifyInstance,
  ctx: HttpContext,
  openExport: OpenExport,
): void {
  const { page } = defineSubject(app, '/console/import')

  page('/export', 'editor', async ({ query, session }, reply) => {
    const format = FORMATS.find((each) => each === readText(query, 'format'))
    if (!format) throw new AppError('not_found')
    return sendExport(ctx, reply, format, openExport(session.account.id, format))
  })

  // Their URLs until they moved.
  for (const format of FORMATS) {
    page(`/account/links.${format}`, 'editor', async () => ({
      to: `/console/export?format=${format}`,
    }))
  }
}

/** Sends an export as a file with the names of the account and the day. */
export function sendExport(
  ctx: HttpContext,
  reply: FastifyReply,
  format: Format,
  content: Readable,
): undefined {
  const { username } = reply.request.session.account
  const name = `brevis-links-${username}-${formatDate(ctx.clock())}.${format}`
  return sendDownload(reply, { name, type: CONTENT_TYPES[format], content })
}

async function* readTexts(parts: AsyncIterable<{ text: string }>): AsyncGenerator<string> {
  for await (const { text } of parts) yield text
}

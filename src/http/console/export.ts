import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { exportLinks, FORMATS, type Format } from '../../transfer/export.service.ts'
import { formatDate } from '../timestamp.ts'
import { sendDownload } from './kit/download.ts'
import { formFor } from './kit/roles.ts'

export type OpenExport = ReturnType<typeof createExportLimiter>

const CONTENT_TYPES: Record<Format, string> = {
  jsonl: 'application/x-ndjson',
  csv: 'text/csv',
}

/**
 * Limits each account to one export at a time in any format, because an export can read all links of
 * the account.
 */
export function createExportLimiter() {
  /** The ids of accounts with an open export. */
  const exporting = new Set<number>()

  /**
   * Opens the stream of an export. The account can start its next export when the stream is closed.
   *
   * @throws AppError `busy` if the account has an open export
   */
  return function openExport(accountId: number, openFile: () => Readable): Readable {
    if (exporting.has(accountId)) throw new AppError('busy')
    exporting.add(accountId)
    // `close` is always emitted, even if the client disconnects before the stream starts.
    return openFile().once('close', () => exporting.delete(accountId))
  }
}

/** Registers the files with all links of the account, streamed from the database. */
export function registerExportRoutes(
  app: FastifyInstance,
  ctx: HttpContext,
  openExport: OpenExport,
): void {
  for (const format of FORMATS) {
    app.get(`/account/links.${format}`, formFor('editor'), ({ session: { account } }, reply) => {
      const readParts = () => exportLinks(ctx, ctx.db, account.id, format)
      return sendExport(reply, { account, format, readParts, openExport, now: ctx.clock() })
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
  const content = openExport(account.id, () => Readable.from(readTexts(readParts())))
  const name = `brevis-links-${account.username}-${formatDate(now)}.${format}`
  sendDownload(reply, { name, type: CONTENT_TYPES[format], content })
  return reply
}

async function* readTexts(parts: AsyncIterable<{ text: string }>): AsyncGenerator<string> {
  for await (const { text } of parts) yield text
}

import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import { exportLinks, FORMATS } from '../../../transfer/export.service.ts'
import { listNotices } from '../../../transfer/notices.ts'
import { generateShortenedCsv, readShortened } from '../../../transfer/shortened.service.ts'
import { getImport, listImports, readProblems } from '../../../transfer/transfer.service.ts'
import { generateReportCsv } from '../../../transfer/write/problems.ts'
import { parsePathId } from '../../request/path-id.ts'
import type { OpenExport } from '../export.ts'
import { formFor, pageFor } from '../kit/roles.ts'
import { formatMoment } from '../shell/format-day.ts'
import { sendConsolePage } from '../shell/send.ts'
import { registerImportJobRoutes } from './job-routes.ts'
import { type ImportForm, type ImportResult, renderImportPage } from './page.ts'
import { importPasted } from './paste.ts'

type ExportRequest = FastifyRequest<{ Querystring: { format?: unknown } }>
type ReportRequest = FastifyRequest<{ Params: { id: string } }>

const MAX_LISTED = 10

/** Registers the routes of the import page: pasted rows, background imports, reports and exports. */
export function registerImportRoutes(
  app: FastifyInstance,
  ctx: HttpContext,
  openExport: OpenExport,
): void {
  registerImportJobRoutes(app, ctx, (reply, form, text) =>
    sendImportPage(reply, { errors: { [form]: text } }, undefined, 422),
  )

  app.route({
    ...pageFor('editor'),
    url: '/import',
    handler: async (_request, reply) => sendImportPage(reply, {}),
  })

  app.post('/import', formFor('editor'), async (request, reply) => {
    const { form, result, status } = await importPasted(
      ctx,
      request.session.account.id,
      request.body,
    )
    return sendImportPage(reply, form, result, status)
  })

  app.route({
    ...pageFor('editor'),
    url: '/import/:id/report',
    handler: async (request: ReportRequest, reply) => {
      const { account } = request.session
      const job = await getImport(ctx.db, account.id, parsePathId(request.params.id))
      const rows = readProblems(ctx.db, account.id, job.id)
      const lines = Readable.from(generateReportCsv(listNotices(job), rows))
      return download(reply, 'text/csv', 'import-report.csv', lines)
    },
  })

  app.route({
    ...pageFor('editor'),
    url: '/import/:id/links',
    handler: async (request: ReportRequest, reply) => {
      const { account } = request.session
      const job = await getImport(ctx.db, account.id, parsePathId(request.params.id))
      if (job.source !== 'list') throw new AppError('not_found')
      const rows = readShortened(ctx, ctx.db, account.id, job.id)
      return download(
        reply,
        'text/csv',
        'short-links.csv',
        Readable.from(generateShortenedCsv(rows)),
      )
    },
  })

  app.route({
    ...pageFor('viewer'),
    url: '/export',
    handler: async ({ query, session }: ExportRequest, reply) => {
      const format = FORMATS.find((each) => each === query.format)
      if (!format) throw new AppError('not_found')
      const { id } = session.account
      const type = format === 'csv' ? 'text/csv' : 'application/jsonl'
      const file = openExport(id, () => Readable.from(readTexts(id, format)))
      return download(reply, type, `links.${format}`, file)
    },
  })

  async function* readTexts(id: number, format: (typeof FORMATS)[number]): AsyncGenerator<string> {
    for await (const { text } of exportLinks(ctx, ctx.db, id, format)) yield text
  }

  async function sendImportPage(
    reply: FastifyReply,
    form: ImportForm,
    result?: ImportResult,
    status = 200,
  ): Promise<FastifyReply> {
    const { account, user } = reply.request.session
    const allImports = await listImports(ctx.db, account.id)
    const imports = allImports
      .slice(0, MAX_LISTED)
      .map(({ id, name, state, startedAt, rows, counts }) => ({
        id,
        name,
        state,
        rows,
        started: formatMoment(startedAt, user.timeZone),
        problems: (counts.refused ?? 0) + (counts.taken ?? 0),
      }))
    return sendConsolePage(reply, (frame) => renderImportPage(frame, { form, result, imports }), {
      status,
    })
  }
}

function download(reply: FastifyReply, type: string, name: string, file: Readable): FastifyReply {
  return reply
    .type(`${type}; charset=utf-8`)
    .headers({
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    })
    .send(file)
}

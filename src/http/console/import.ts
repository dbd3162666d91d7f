import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { exportLinks, FORMATS } from '../../transfer/export.service.ts'
import { TAKEN_ALIAS_POLICIES } from '../../transfer/import-batch.ts'
import { noticesOf } from '../../transfer/notices.ts'
import { SourceError } from '../../transfer/record.ts'
import {
  getImport,
  importLinks,
  listImports,
  readProblems,
} from '../../transfer/transfer.service.ts'
import { reportAsCsv } from '../../transfer/write/problems.ts'
import { pageRoute } from '../html/page-route.ts'
import { formatTimestamp } from '../timestamp.ts'
import { type ImportForm, type ImportResult, importPage } from './import/page.ts'
import { importJobRoutes } from './import-jobs.ts'
import type { OneExport } from './one-export.ts'
import { pathId } from './path-id.ts'
import { fieldsOf, sendConsole } from './send.ts'

type ExportRequest = FastifyRequest<{ Querystring: { format?: unknown } }>
type ReportRequest = FastifyRequest<{ Params: { id: string } }>

const KINDS = ['csv', 'jsonl'] as const
const MAX_PROBLEMS_SHOWN = 50

/** Imports pasted rows and exports links as a file. */
export function importRoutes(app: FastifyInstance, ctx: HttpContext, openExport: OneExport): void {
  importJobRoutes(app, ctx, (reply, form, text) =>
    send(reply, { faults: { [form]: text } }, undefined, 422),
  )

  app.route({ ...pageRoute, url: '/import', handler: async (_request, reply) => send(reply, {}) })

  app.post('/import', { schema: { hide: true } }, async (request, reply) => {
    const fields = fieldsOf(request.body, ['kind', 'onTaken', 'content', 'go'])
    const source = KINDS.find((kind) => kind === fields.kind)
    const onTaken = TAKEN_ALIAS_POLICIES.find((word) => word === fields.onTaken)
    if (!source || !onTaken) throw new AppError('malformed_request')
    const { account } = request.session
    const folder = await mkdtemp(join(tmpdir(), 'brevis-import-'))
    try {
      const from = join(folder, 'pasted')
      await writeFile(from, fields.content, { mode: 0o600 })
      const dryRun = fields.go !== 'import'
      const task = { source, from, name: 'pasted rows', isNew: true, onTaken, dryRun }
      let result: ImportResult | undefined
      const problems: ImportResult['problems'][number][] = []
      for await (const progress of importLinks(ctx, ctx.db, account.id, task)) {
        problems.push(...progress.problems.slice(0, MAX_PROBLEMS_SHOWN - problems.length))
        const { counts, unused } = progress
        const notices = noticesOf({ source, dryRun, unused, counts })
        result = { isDryRun: dryRun, counts, notices, problems }
      }
      return await send(reply, dryRun ? fields : {}, result)
    } catch (error) {
      const isTheirs =
        error instanceof SourceError || (error instanceof AppError && error.status < 500)
      if (!isTheirs) throw error
      return await send(reply, { ...fields, error: error.message }, undefined, 422)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  app.route({
    ...pageRoute,
    url: '/import/:id/report',
    handler: async (request: ReportRequest, reply) => {
      const { account } = request.session
      const found = await getImport(ctx.db, account.id, pathId(request.params.id))
      const rows = readProblems(ctx.db, account.id, found.id)
      const lines = Readable.from(reportAsCsv(noticesOf(found), rows))
      return download(reply, 'text/csv', 'import-report.csv', lines)
    },
  })

  app.route({
    ...pageRoute,
    url: '/export',
    handler: async ({ query, session }: ExportRequest, reply) => {
      const format = FORMATS.find((each) => each === query.format)
      if (!format) throw new AppError('not_found')
      const { id } = session.account
      const type = format === 'csv' ? 'text/csv' : 'application/jsonl'
      const file = openExport(id, () => Readable.from(textsOf(id, format)))
      return download(reply, type, `links.${format}`, file)
    },
  })

  async function* textsOf(id: number, format: (typeof FORMATS)[number]): AsyncGenerator<string> {
    for await (const { text } of exportLinks(ctx, ctx.db, id, format)) yield text
  }

  async function send(
    reply: FastifyReply,
    form: ImportForm,
    result?: ImportResult,
    status = 200,
  ): Promise<FastifyReply> {
    const listed = await listImports(ctx.db, reply.request.session.account.id)
    const imports = listed.slice(0, 10).map(({ id, name, state, startedAt, rows, counts }) => ({
      ...{ id, name, state, rows, started: formatTimestamp(startedAt) },
      problems: (counts.refused ?? 0) + (counts.taken ?? 0),
    }))
    return sendConsole(reply, (frame) => importPage(frame, { form, result, imports }), { status })
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

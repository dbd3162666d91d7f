import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { TAKEN_ALIAS_POLICIES, type TakenAliasPolicy } from '../../transfer/import-batch.ts'
import {
  addApiImport,
  addFileImport,
  cancelImport,
  retryImport,
  startImport,
} from '../../transfer/import-queue.service.ts'
import { noticesOf } from '../../transfer/notices.ts'
import type { FileSource } from '../../transfer/read/file.ts'
import { SOURCES } from '../../transfer/record.ts'
import { getImport, readProblems } from '../../transfer/transfer.service.ts'
import { pageRoute } from '../html/page-route.ts'
import { parseUploads, type UploadForm } from '../request/multipart.ts'
import { formatTimestamp } from '../timestamp.ts'
import { type ImportJob, importJobPage } from './import/job-page.ts'
import { pathId } from './path-id.ts'
import { faultText, fieldsOf, sendConsole } from './send.ts'

type ImportRow = Awaited<ReturnType<typeof getImport>>
type JobRequest = FastifyRequest<{ Params: { id: string } }>
/** Renders the import page again with the error of one of its forms. */
export type SendFault = (
  reply: FastifyReply,
  form: 'file' | 'api',
  text: string,
) => Promise<FastifyReply>

const MAX_JOBS_SHOWN = 50
const APIS = SOURCES.filter((source) => source !== 'csv' && source !== 'jsonl')
const hidden = { schema: { hide: true } }

/** Routes of background imports: create, show, start, retry and cancel. */
export function importJobRoutes(
  app: FastifyInstance,
  ctx: HttpContext,
  sendFault: SendFault,
): void {
  void app.register(uploadRoute(ctx, begin))

  app.post('/import/api', hidden, async (request, reply) => {
    const names = ['source', 'address', 'token', 'onTaken', 'domain'] as const
    const { source, address, token, onTaken, domain } = fieldsOf(request.body, names)
    const api = APIS.find((each) => each === source)
    if (!api) throw new AppError('malformed_request')
    return begin(reply, 'api', () => {
      const choices = { name: address.trim(), domain, onTaken: readOnTaken(onTaken), token }
      return addApiImport(ctx, ctx.db, request.session.account.id, api, choices)
    })
  })

  app.route({
    ...pageRoute,
    url: '/import/:id',
    handler: async (request: JobRequest, reply) => {
      const { account } = request.session
      const job = await getImport(ctx.db, account.id, pathId(request.params.id))
      const problems = []
      for await (const problem of readProblems(ctx.db, account.id, job.id)) {
        problems.push(problem)
        if (problems.length === MAX_JOBS_SHOWN) break
      }
      const shown = { ...present(job, ctx.clock()), problems }
      return sendConsole(reply, (frame) => importJobPage(frame, shown))
    },
  })

  const actions = { start: startImport, retry: retryImport, cancel: cancelImport }
  for (const action of ['start', 'retry', 'cancel'] as const) {
    app.post(`/import/:id/${action}`, hidden, async (request: JobRequest, reply) => {
      const id = pathId(request.params.id)
      await actions[action](ctx.db, request.session.account.id, id)
      return reply.redirect(`/console/import/${id}`, 303)
    })
  }

  async function begin(
    reply: FastifyReply,
    form: 'file' | 'api',
    add: () => Promise<number>,
  ): Promise<FastifyReply> {
    try {
      return reply.redirect(`/console/import/${await add()}`, 303)
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error
      const { field } = error
      const name = field ? `${field.charAt(0).toUpperCase()}${field.slice(1)}: ` : ''
      return sendFault(reply, form, `${name}${faultText(error)}`)
    }
  }
}

/** Receives the file of an import. */
function uploadRoute(
  ctx: HttpContext,
  begin: (reply: FastifyReply, form: 'file', add: () => Promise<number>) => Promise<FastifyReply>,
) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    // The guard checks the form fields before the file is read.
    await parseUploads(app)
    app.post('/import/file', hidden, async (request, reply) => {
      const { kind, onTaken, domain } = fieldsOf(request.body, ['kind', 'onTaken', 'domain'])
      const { file } = (request.body ?? {}) as UploadForm
      return begin(reply, 'file', () => {
        const choices = { name: file?.name ?? '', domain, onTaken: readOnTaken(onTaken) }
        const source = sourceOf(kind, choices.name)
        if (!file) throw new AppError('invalid_input', 'Choose a file.')
        const { account } = request.session
        return addFileImport(ctx, ctx.db, account.id, source, choices, file.content)
      })
    })
  }
}

function readOnTaken(text: string): TakenAliasPolicy {
  const onTaken = TAKEN_ALIAS_POLICIES.find((word) => word === text)
  if (!onTaken) throw new AppError('malformed_request')
  return onTaken
}

/** Returns the selected format, or else the one that the file's extension suggests. */
function sourceOf(kind: string, name: string): FileSource {
  if (kind === 'csv' || kind === 'jsonl') return kind
  return /\.(jsonl|ndjson)$/i.test(name) ? 'jsonl' : 'csv'
}

/** Returns an import's progress: by rows if their number is known, or else by bytes of the file. */
function present(job: ImportRow, now: Date): Omit<ImportJob, 'problems'> {
  const { id, source, name, state, rows, expected, size, bytesRead, counts, dryRun, problem } = job
  const isCounting = dryRun || expected === null
  const share = isCounting ? (size ? bytesRead / size : undefined) : rows / Math.max(1, expected)
  const seconds = job.runAt ? (now.getTime() - job.runAt.getTime()) / 1000 : 0
  const done = rows - job.runRows
  const rate = seconds > 0 && done > 0 ? done / seconds : undefined
  const total = isCounting ? (share ? rows / share : undefined) : expected
  const left = rate && total ? Math.max(0, (total - rows) / rate) : undefined
  return {
    ...{ id, source, name, state, rows, dryRun, problem, background: job.background },
    ...{ share: share === undefined ? undefined : Math.min(1, share), rate, left },
    begun: formatTimestamp(job.startedAt),
    notices: noticesOf(job),
    counts: { created: 0, renamed: 0, present: 0, taken: 0, refused: 0, clicks: 0, ...counts },
  }
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import { t } from '../../../texts.ts'
import { createZeroCounts } from '../../../transfer/counts.ts'
import { TAKEN_ALIAS_POLICIES, type TakenAliasPolicy } from '../../../transfer/import-batch.ts'
import { changeImportColumns, getImportColumns } from '../../../transfer/import-columns.service.ts'
import {
  addApiImport,
  addFileImport,
  cancelImport,
  retryImport,
  startImport,
} from '../../../transfer/import-queue.service.ts'
import { type FileSource, isFileSource } from '../../../transfer/read/file.ts'
import { SOURCES } from '../../../transfer/record.ts'
import { getImport, readProblems } from '../../../transfer/transfer.service.ts'
import { describeError } from '../../html/describe-error.ts'
import { parseUploads, type UploadForm } from '../../request/multipart.ts'
import { parsePathId } from '../../request/path-id.ts'
import { formFor, pageFor } from '../kit/roles.ts'
import { readFields, sendConsolePage } from '../shell/send.ts'
import { readColumns, readDateOrder } from './columns.ts'
import { type ImportJob, renderImportJobPage } from './job-page.ts'

type ImportRow = Awaited<ReturnType<typeof getImport>>
type JobRequest = FastifyRequest<{ Params: { id: string } }>
/** Renders the import page again with the error of one of its forms. */
export type SendFormError = (
  reply: FastifyReply,
  form: 'file' | 'api',
  text: string,
) => Promise<FastifyReply>

const MAX_PROBLEMS_SHOWN = 50
const APIS = SOURCES.filter((source) => !isFileSource(source))
/** Registers the routes of background imports: create, show, start, retry and cancel. */
export function registerImportJobRoutes(
  app: FastifyInstance,
  ctx: HttpContext,
  sendFormError: SendFormError,
): void {
  void app.register(createUploadRoute(ctx, addImport))

  app.post('/import/api', formFor('editor'), async (request, reply) => {
    const names = ['source', 'address', 'token', 'onTaken', 'domain'] as const
    const { source, address, token, onTaken, domain } = readFields(request.body, names)
    const api = APIS.find((each) => each === source)
    if (!api) throw new AppError('malformed_request')
    return addImport(reply, 'api', () => {
      const choices = { name: address.trim(), domain, onTaken: readOnTaken(onTaken), token }
      return addApiImport(ctx, ctx.db, request.session.account.id, api, choices)
    })
  })

  app.route({
    ...pageFor('editor'),
    url: '/import/:id',
    handler: async (request: JobRequest, reply) => {
      const { account } = request.session
      const job = await getImport(ctx.db, account.id, parsePathId(request.params.id))
      return sendJob(reply, job, { columns: await getImportColumns(ctx.db, job) })
    },
  })

  app.post('/import/:id/columns', formFor('editor'), async (request: JobRequest, reply) => {
    const { account } = request.session
    const id = parsePathId(request.params.id)
    const changes = readColumns(request.body)
    const dates = readDateOrder(request.body)
    const rejection = await changeImportColumns(ctx.db, account.id, id, changes, dates)
    if (!rejection) return reply.redirect(`/console/import/${id}`, 303)
    const { columns, problem: mappingProblem } = rejection
    const job = await getImport(ctx.db, account.id, id)
    return sendJob(reply, job, { columns, mappingProblem }, 422)
  })

  const actions = { start: startImport, retry: retryImport, cancel: cancelImport }
  for (const action of ['start', 'retry', 'cancel'] as const) {
    app.post(`/import/:id/${action}`, formFor('editor'), async (request: JobRequest, reply) => {
      const id = parsePathId(request.params.id)
      await actions[action](ctx.db, request.session.account.id, id)
      return reply.redirect(`/console/import/${id}`, 303)
    })
  }

  async function sendJob(
    reply: FastifyReply,
    job: ImportRow,
    columns: Pick<ImportJob, 'columns' | 'mappingProblem'>,
    status = 200,
  ): Promise<FastifyReply> {
    const { account } = reply.request.session
    const problems = await readFirst(account.id, job.id, false)
    const notices = await readFirst(account.id, job.id, true)
    const view = { ...present(job, ctx.clock()), problems, notices, ...columns }
    return sendConsolePage(reply, (frame) => renderImportJobPage(frame, view), { status })
  }

  /** Returns the first problems or notices of an import. */
  async function readFirst(accountId: number, id: number, isNotice: boolean) {
    const first = []
    for await (const each of readProblems(ctx.db, accountId, id, isNotice)) {
      first.push(each)
      if (first.length === MAX_PROBLEMS_SHOWN) break
    }
    return first
  }

  async function addImport(
    reply: FastifyReply,
    form: 'file' | 'api',
    add: () => Promise<number>,
  ): Promise<FastifyReply> {
    try {
      return reply.redirect(`/console/import/${await add()}`, 303)
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error
      const { field } = error
      const text = describeError(error)
      return sendFormError(
        reply,
        form,
        field ? t('import.fieldProblem', { field: getFieldLabel(field), text }) : text,
      )
    }
  }
}

/** Creates the plugin that receives the file of an import. */
function createUploadRoute(
  ctx: HttpContext,
  addImport: (
    reply: FastifyReply,
    form: 'file',
    add: () => Promise<number>,
  ) => Promise<FastifyReply>,
) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    // The guard checks the form fields before the file is read.
    await parseUploads(app)
    app.post('/import/file', formFor('editor'), async (request, reply) => {
      const { kind, onTaken, domain } = readFields(request.body, ['kind', 'onTaken', 'domain'])
      const { file } = (request.body ?? {}) as UploadForm
      return addImport(reply, 'file', () => {
        const choices = { name: file?.name ?? '', domain, onTaken: readOnTaken(onTaken) }
        const source = createFileSource(kind, choices.name)
        if (!file) throw new AppError('invalid_input', { text: 'import.file.missing' })
        const { account } = request.session
        return addFileImport(ctx, ctx.db, account.id, source, choices, file.content)
      })
    })
  }
}

/** Returns the label of a field in the forms. */
function getFieldLabel(field: string): string {
  switch (field) {
    case 'address':
      return t('import.service.url')
    case 'token':
      return t('import.service.key')
    case 'domain':
      return t('import.domain')
    default:
      return t('import.file.file')
  }
}

function readOnTaken(text: string): TakenAliasPolicy {
  const onTaken = TAKEN_ALIAS_POLICIES.find((word) => word === text)
  if (!onTaken) throw new AppError('malformed_request')
  return onTaken
}

/** Returns the selected format, or the one suggested by the file's extension. */
function createFileSource(kind: string, name: string): FileSource {
  if (kind === 'csv' || kind === 'jsonl' || kind === 'list') return kind
  return /\.(jsonl|ndjson)$/i.test(name) ? 'jsonl' : 'csv'
}

/** Returns an import for display, with its progress, speed and remaining time. */
function present(job: ImportRow, now: Date): Omit<ImportJob, 'problems' | 'notices' | 'columns'> {
  const { id, source, name, state, rows, counts, dryRun, problem, unused } = job
  const share = computeShare(job)
  const runSeconds = job.runAt ? (now.getTime() - job.runAt.getTime()) / 1000 : 0
  const runRows = rows - job.runRows
  const rowsPerSecond = runSeconds > 0 && runRows > 0 ? runRows / runSeconds : undefined
  const totalRows = estimateTotalRows(job, share)
  const secondsLeft =
    rowsPerSecond && totalRows ? Math.max(0, (totalRows - rows) / rowsPerSecond) : undefined
  return {
    id,
    source,
    name,
    state,
    rows,
    dryRun,
    problem,
    isInBackground: job.background,
    share: share === undefined ? undefined : Math.min(1, share),
    rowsPerSecond,
    secondsLeft,
    unused,
    counts: { ...createZeroCounts(), ...counts },
  }
}

/**
 * Returns the completed share: by rows if their number is known from the check, otherwise by bytes of
 * the file.
 */
function computeShare({ rows, expected, size, bytesRead, dryRun }: ImportRow): number | undefined {
  if (!dryRun && expected !== null) return rows / Math.max(1, expected)
  return size ? bytesRead / size : undefined
}

function estimateTotalRows(
  { rows, expected, dryRun }: ImportRow,
  share: number | undefined,
): number | undefined {
  if (!dryRun && expected !== null) return expected
  return share ? rows / share : undefined
}

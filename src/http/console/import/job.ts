import { Readable } from 'node:stream'
import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { AppError, formatProblem } from '../../../errors.ts'
import { t } from '../../../texts.ts'
import {
  changeImportColumns,
  getImportColumns,
  type ImportColumns,
} from '../../../transfer/import-columns.service.ts'
import { cancelImport, retryImport, startImport } from '../../../transfer/import-queue.service.ts'
import { listNotices, type RowProblem } from '../../../transfer/progress.ts'
import type { MappingProblem } from '../../../transfer/read/csv-columns.ts'
import { generateShortenedCsv, readShortened } from '../../../transfer/shortened.service.ts'
import { getImport, readProblems } from '../../../transfer/transfer.service.ts'
import { generateReportCsv } from '../../../transfer/write/csv.ts'
import { withScript } from '../assets.ts'
import { sendDownload } from '../kit/download.ts'
import {
  renderButtonForm,
  renderForm,
  renderNotices,
  renderPanel,
  renderProgressBar,
} from '../kit/parts.ts'
import { type ConsoleRequest, defineSubject, idOf, type Page } from '../kit/subject.ts'
import { formatCount, formatPercent } from '../shell/format.ts'
import type { Frame } from '../shell/layout.ts'
import {
  describeColumnError,
  readColumns,
  readDateOrder,
  renderColumns,
  renderOutcome,
  renderProblems,
  renderShortenedLink,
} from './tables.ts'

type ImportRow = Awaited<ReturnType<typeof getImport>>

const PATH = '/console/import'
const MAX_PROBLEMS_SHOWN = 50

/** Registers the page of an import, its actions, its report, and the short links of a list. */
export function registerImportJobRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { db } = ctx
  const { page, action } = defineSubject(app, PATH)

  page('/import/:id', 'editor', async (request) => {
    const job = await findJob(request)
    return renderJob(request, job, await getImportColumns(db, job))
  })

  action('/import/:id/columns', 'editor', async (request) => {
    const { body } = request
    const id = idOf(request)
    const changes = readColumns(body)
    const dates = readDateOrder(body)
    const rejected = await changeImportColumns(request.scope, id, changes, dates)
    if (!rejected) return { to: `${PATH}/${id}` }
    const { columns, problem } = rejected
    const job = await findJob(request)
    return { ...(await renderJob(request, job, columns, problem)), status: 422 }
  })

  const actions = { start: startImport, retry: retryImport, cancel: cancelImport }
  for (const [name, act] of Object.entries(actions)) {
    action(`/import/:id/${name}`, 'editor', async (request) => {
      const id = idOf(request)
      await act(request.scope, id)
      return { to: `${PATH}/${id}` }
    })
  }

  page('/import/:id/report', 'editor', async (request, reply) => {
    const job = await findJob(request)
    const rows = readProblems(request.scope, job.id)
    const content = Readable.from(generateReportCsv(listNotices(job), rows))
    return sendDownload(reply, { name: 'import-report.csv', type: 'text/csv', content })
  })

  page('/import/:id/links', 'editor', async (request, reply) => {
    const job = await findJob(request)
    if (job.source !== 'list') throw new AppError('not_found')
    const rows = readShortened(request.scope, job.id)
    const content = Readable.from(generateShortenedCsv(rows))
    return sendDownload(reply, { name: 'short-links.csv', type: 'text/csv', content })
  })

  function findJob(request: ConsoleRequest): Promise<ImportRow> {
    return getImport(request.scope, idOf(request))
  }

  /** `problem` is why the file cannot be imported with these columns. */
  async function renderJob(
    request: ConsoleRequest,
    job: ImportRow,
    columns: ImportColumns | undefined,
    problem?: MappingProblem,
  ): Promise<Page> {
    const { id, source, name, state, rows, dryRun } = job
    const isOpen = ['waiting', 'checking', 'running'].includes(state)
    const problems = await readFirst(readProblems(request.scope, id, false))
    const notices = await readFirst(readProblems(request.scope, id, true))
    const description =
      state === 'failed' && dryRun ? t('import.checkFailed') : t(`import.progress.${state}`)
    return {
      title: t('import.import'),
      body: (frame) => html`<p><a href="${PATH}">${t('import.title')}</a></p>
<h1>${t('import.jobTitle', { name })}</h1>
${renderPanel(
  'state',
  t(dryRun ? 'import.review' : 'import.result'),
  html`<div id="import-state"${isOpen ? html`${withScript('live')} data-live data-every="2"` : null}>
<p${state === 'failed' ? html` class="notice"` : null}>${description} ${job.problem && formatProblem(job.problem)}</p>
${isOpen ? renderProgress(job, ctx.clock()) : null}
${state === 'failed' && rows === 0 ? null : renderOutcome(job)}
${source === 'list' && !dryRun && !isOpen ? renderShortenedLink(id) : null}
${renderActions(frame, job, columns)}
</div>`,
)}
${columns ? renderColumnsPanel(frame, id, columns, problem) : null}
<div id="import-rows"${isOpen ? html` data-live` : null}>
${renderProblemPanel('problems', t('import.problems.title'), id, problems)}
${renderProblemPanel('notices', t('import.problems.notices'), id, notices)}
</div>`,
    }
  }
}

async function readFirst(problems: AsyncIterable<RowProblem>): Promise<RowProblem[]> {
  const first = []
  for await (const problem of problems) {
    first.push(problem)
    if (first.length === MAX_PROBLEMS_SHOWN) break
  }
  return first
}

function renderProgress(job: ImportRow, now: Date): SafeHtml {
  const { id, rows, runAt, runRows } = job
  const share = computeShare(job)
  const seconds = runAt ? (now.getTime() - runAt.getTime()) / 1000 : 0
  const rate = seconds > 0 && rows > runRows ? (rows - runRows) / seconds : undefined
  const total = estimateTotal(job, share)
  const left = rate && total ? Math.max(0, (total - rows) / rate) : undefined
  const parts = [
    share === undefined ? [] : formatPercent(Math.floor(share * 100) / 100),
    t('import.rowCount', { n: rows }),
    rate === undefined ? [] : t('import.rate', { rows: formatCount(Math.round(rate)) }),
    left === undefined ? [] : t('import.left', { duration: formatDuration(left) }),
  ].flat()
  return html`<p>${renderProgressBar(t('import.progressLabel'), share)}</p>
<p>${parts.join(' · ')} <a href="${PATH}/${id}">${t('import.refresh')}</a></p>`
}

/**
 * Returns the completed share from 0 to 1: by rows if their number is known from the check, otherwise
 * by bytes of the file. Undefined if it is unknown.
 */
function computeShare({ rows, expected, size, bytesRead, dryRun }: ImportRow): number | undefined {
  if (!dryRun && expected !== null) return Math.min(1, rows / Math.max(1, expected))
  return size ? Math.min(1, bytesRead / size) : undefined
}

function estimateTotal({ rows, expected, dryRun }: ImportRow, share: number | undefined) {
  if (!dryRun && expected !== null) return expected
  return share ? rows / share : undefined
}

function formatDuration(seconds: number): string {
  const round = (count: number) => ({ n: formatCount(Math.ceil(count)) })
  if (seconds < 90) return t('import.units.seconds', round(seconds))
  const minutes = Math.ceil(seconds / 60)
  return minutes < 90
    ? t('import.units.minutes', round(minutes))
    : t('import.units.hours', round(minutes / 60))
}

function renderActions(
  frame: Frame,
  { id, state, background, dryRun }: ImportRow,
  columns: ImportColumns | undefined,
): SafeHtml | null {
  if (!background || state === 'done' || state === 'cancelled') return null
  const renderButton = (action: string, text: string, className = 'button') =>
    renderButtonForm(frame, { action: `${PATH}/${id}/${action}`, text, className })
  return html`<div class="actions">${state === 'checked' ? renderButton('start', t('import.import')) : null}
${state === 'failed' && !columns ? renderButton('retry', t(dryRun ? 'import.checkAgain' : 'import.resume')) : null}
${state === 'uploading' ? null : renderButton('cancel', t('import.cancel'), 'button quiet')}</div>`
}

function renderColumnsPanel(
  frame: Frame,
  id: number,
  columns: ImportColumns,
  problem: MappingProblem | undefined,
): SafeHtml {
  return renderPanel('columns', t('importColumns.title'), [
    html`<p class="soft">${t('importColumns.text')}</p>`,
    renderNotices({ error: problem && describeColumnError(problem) }),
    renderForm(frame, `${PATH}/${id}/columns`, [
      renderColumns(columns),
      html`<p><button class="button quiet">${t('importColumns.apply')}</button></p>`,
    ]),
  ])
}

function renderProblemPanel(
  name: string,
  title: string,
  id: number,
  problems: readonly RowProblem[],
): SafeHtml | null {
  if (problems.length === 0) return null
  return renderPanel(name, title, [
    html`<p><a class="button quiet" href="${PATH}/${id}/report" download>${t('import.problems.download')}</a></p>`,
    renderProblems(problems),
  ])
}

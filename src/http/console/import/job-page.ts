import { html, type SafeHtml } from '@remix-run/html-template'
import { formatProblem, type Problem } from '../../../errors.ts'
import { csrfField } from '../../../pages/field.ts'
import { type TextsIn, t } from '../../../texts.ts'
import type { ImportColumns } from '../../../transfer/import-columns.service.ts'
import type { RowProblem } from '../../../transfer/progress.ts'
import type { MappingProblem } from '../../../transfer/read/csv-columns.ts'
import { formatCount, formatPercent } from '../shell/format-count.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import { renderColumnsPanel } from './columns.ts'
import {
  type Outcome,
  renderOutcomeTable,
  renderProblemTable,
  renderShortenedLink,
} from './outcome.ts'

export type ImportJob = Outcome & {
  id: number
  name: string
  state: TextsIn<'import.states'>
  isInBackground: boolean
  rows: number
  /** The completed share from 0 to 1, or undefined if unknown. */
  share: number | undefined
  /** The speed and the remaining time, or undefined if unknown. */
  rowsPerSecond: number | undefined
  secondsLeft: number | undefined
  problem: Problem | null
  problems: readonly RowProblem[]
  /** Values that created links lost. */
  notices: readonly RowProblem[]
  /** The columns of a CSV file that is not imported yet, and why they cannot be imported. */
  columns: ImportColumns | undefined
  mappingProblem?: MappingProblem | undefined
}

/** Renders an import: its progress, the outcome of its rows, and the available actions. */
export function renderImportJobPage(frame: Frame, job: ImportJob): string {
  const isOpen = ['waiting', 'checking', 'running'].includes(job.state)
  return renderConsolePage(frame, {
    title: t('import.import'),
    section: '/console/import',
    body: html`<p><a href="/console/import">${t('import.title')}</a></p>
<h1>${t('import.jobTitle', { name: job.name })}</h1>
<section class="panel" id="import-state" aria-labelledby="state"${isOpen ? html` data-live data-every="2"` : null}>
<h2 id="state">${job.dryRun ? t('import.review') : t('import.result')}</h2>
<p${job.state === 'failed' ? html` class="notice"` : null}>${describeState(job)} ${job.problem && formatProblem(job.problem)}</p>
${isOpen ? renderProgress(job) : null}
${job.state === 'failed' && job.rows === 0 ? null : renderOutcomeTable(job)}
${job.source === 'list' && !job.dryRun && !isOpen ? renderShortenedLink(job.id) : null}
${renderActions(frame, job)}
</section>
${job.columns ? renderColumnsPanel(frame, job.id, job.columns, job.mappingProblem) : null}
${renderProblemPanel('problems', t('import.problems.title'), job.id, job.problems)}
${renderProblemPanel('notices', t('import.problems.notices'), job.id, job.notices)}`,
  })
}

function renderProblemPanel(
  name: string,
  title: string,
  id: number,
  problems: readonly RowProblem[],
): SafeHtml | null {
  if (problems.length === 0) return null
  return html`<section class="panel" aria-labelledby="${name}">
<h2 id="${name}">${title}</h2>
<p><a class="button quiet" href="/console/import/${id}/report" download>${t('import.problems.download')}</a></p>
${renderProblemTable(problems)}
</section>`
}

function describeState({ state, dryRun }: ImportJob): string {
  return state === 'failed' && dryRun ? t('import.checkFailed') : t(`import.progress.${state}`)
}

function renderProgress({ id, share, rowsPerSecond, secondsLeft, rows }: ImportJob): SafeHtml {
  const parts = [
    share === undefined ? undefined : formatPercent(Math.floor(share * 100) / 100),
    t('import.rowCount', { n: rows }),
    rowsPerSecond === undefined
      ? undefined
      : t('import.rate', { rows: formatCount(Math.round(rowsPerSecond)) }),
    secondsLeft === undefined
      ? undefined
      : t('import.left', { duration: formatDuration(secondsLeft) }),
  ].filter((part) => part !== undefined)
  return html`<p><progress class="wide" aria-label="${t('import.progressLabel')}" max="1"${share === undefined ? null : html` value="${share.toFixed(3)}"`}></progress></p>
<p>${parts.join(' · ')} <a href="/console/import/${id}">${t('import.refresh')}</a></p>`
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
  { id, state, isInBackground, dryRun, columns }: ImportJob,
): SafeHtml | null {
  if (!isInBackground || state === 'done' || state === 'cancelled') return null
  const renderButton = (action: string, text: string, kind: string) =>
    html`<form class="in-line" method="post" action="/console/import/${id}/${action}">${csrfField(frame.csrf)}<button class="button${kind}">${text}</button></form> `
  return html`${state === 'checked' ? renderButton('start', t('import.import'), '') : null}
${state === 'failed' && !columns ? renderButton('retry', dryRun ? t('import.checkAgain') : t('import.resume'), '') : null}
${state === 'uploading' ? null : renderButton('cancel', t('import.cancel'), ' quiet')}`
}

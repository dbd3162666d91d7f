import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import type { ImportColumns } from '../../../transfer/import-columns.service.ts'
import type { RowProblem } from '../../../transfer/progress.ts'
import type { MappingProblem } from '../../../transfer/read/csv-columns.ts'
import { translateStoredProblem } from '../../localization/error-text.ts'
import { formatCount, formatPercent } from '../shell/format-count.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import { pluralize } from '../shell/plural.ts'
import { renderColumnsPanel } from './columns.ts'
import { importMessages as messages } from './messages.ts'
import {
  type Outcome,
  renderOutcomeTable,
  renderProblemTable,
  renderShortenedLink,
} from './outcome.ts'

export type ImportJob = Outcome & {
  id: number
  name: string
  state: keyof typeof messages.states
  isInBackground: boolean
  rows: number
  /** The completed share from 0 to 1, or undefined if unknown. */
  share: number | undefined
  /** The speed and the remaining time, or undefined if unknown. */
  rowsPerSecond: number | undefined
  secondsLeft: number | undefined
  problem: string | null
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
    title: messages.import,
    section: '/console/import',
    files: [...(job.columns ? ['columns.css'] : []), ...(isOpen ? ['live.js'] : [])],
    body: html`<p><a href="/console/import">${messages.title}</a></p>
<h1>${messages.jobTitle(job.name)}</h1>
<section class="panel" id="import-state" aria-labelledby="state"${isOpen ? html` data-live data-every="2"` : null}>
<h2 id="state">${job.dryRun ? messages.review : messages.result}</h2>
<p${job.state === 'failed' ? html` class="notice"` : null}>${describeState(job)} ${job.problem && translateStoredProblem(job.problem)}</p>
${isOpen ? renderProgress(job) : null}
${job.state === 'failed' && job.rows === 0 ? null : renderOutcomeTable(job)}
${job.source === 'list' && !job.dryRun && !isOpen ? renderShortenedLink(job.id) : null}
${renderActions(frame, job)}
</section>
${job.columns ? renderColumnsPanel(frame, job.id, job.columns, job.mappingProblem) : null}
${renderProblemPanel('problems', messages.problems.title, job.id, job.problems)}
${renderProblemPanel('notices', messages.problems.notices, job.id, job.notices)}`,
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
<p><a class="button quiet" href="/console/import/${id}/report" download>${messages.problems.download}</a></p>
${renderProblemTable(problems)}
</section>`
}

function describeState({ state, dryRun }: ImportJob): string {
  return state === 'failed' && dryRun ? messages.checkFailed : messages.progress[state]
}

function renderProgress({ id, share, rowsPerSecond, secondsLeft, rows }: ImportJob): SafeHtml {
  const parts = [
    share === undefined ? undefined : formatPercent(Math.floor(share * 100) / 100),
    pluralize(rows, messages.rowCount),
    rowsPerSecond === undefined ? undefined : messages.rate(formatCount(Math.round(rowsPerSecond))),
    secondsLeft === undefined ? undefined : messages.left(formatDuration(secondsLeft)),
  ].filter((part) => part !== undefined)
  return html`<p><progress class="wide" aria-label="${messages.progressLabel}" max="1"${share === undefined ? null : html` value="${share.toFixed(3)}"`}></progress></p>
<p>${parts.join(' · ')} <a href="/console/import/${id}">${messages.refresh}</a></p>`
}

function formatDuration(seconds: number): string {
  const { units } = messages
  const fill = (unit: string, count: number) => unit.replace('{n}', formatCount(Math.ceil(count)))
  if (seconds < 90) return fill(units.seconds, seconds)
  const minutes = Math.ceil(seconds / 60)
  return minutes < 90 ? fill(units.minutes, minutes) : fill(units.hours, minutes / 60)
}

function renderActions(
  frame: Frame,
  { id, state, isInBackground, dryRun, columns }: ImportJob,
): SafeHtml | null {
  if (!isInBackground || state === 'done' || state === 'cancelled') return null
  const renderButton = (action: string, text: string, kind: string) =>
    html`<form class="in-line" method="post" action="/console/import/${id}/${action}">${csrfField(frame.csrf)}<button class="button${kind}">${text}</button></form> `
  return html`${state === 'checked' ? renderButton('start', messages.import, '') : null}
${state === 'failed' && !columns ? renderButton('retry', dryRun ? messages.checkAgain : messages.resume, '') : null}
${state === 'uploading' ? null : renderButton('cancel', messages.cancel, ' quiet')}`
}

import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { formatCount } from '../shell/format-count.ts'
import { consolePage, type Frame } from '../shell/layout.ts'
import { noticeList, problemTable } from './problems.ts'

export type ImportJob = {
  id: number
  source: string
  name: string
  state: string
  dryRun: boolean
  background: boolean
  begun: string
  rows: number
  /** The completed share from 0 to 1, or undefined if unknown. */
  share: number | undefined
  /** Rows per second and the remaining seconds. */
  rate: number | undefined
  left: number | undefined
  problem: string | null
  counts: {
    created: number
    renamed: number
    present: number
    taken: number
    refused: number
    clicks: number
  }
  notices: readonly string[]
  problems: readonly { row: number; alias: string; problem: string }[]
}

const WORDS: Readonly<Record<string, string>> = {
  uploading: 'The file is being uploaded.',
  waiting: 'Queued',
  checking: 'Checking …',
  checked: 'Checked. Nothing has been changed yet: look at what would happen, and import it then.',
  running: 'Importing …',
  done: 'Done.',
  failed: 'Import failed. Links imported so far are kept.',
  cancelled: 'Import cancelled. Links imported so far are kept.',
}

/** Renders an import: its progress, the outcome of its rows, and the available actions. */
export function importJobPage(frame: Frame, job: ImportJob): string {
  const isOpen = ['waiting', 'checking', 'running'].includes(job.state)
  return consolePage(frame, {
    title: 'Import',
    section: '/console/import',
    files: isOpen ? ['live.js'] : [],
    body: html`<p><a href="/console/import">Import & export</a></p>
<h1>Import of ${job.name}</h1>
<section class="panel" id="import-state" aria-labelledby="state"${isOpen ? html` data-live data-every="2"` : null}>
<h2 id="state">${job.dryRun ? 'Review' : 'Result'}</h2>
<p${job.state === 'failed' ? html` class="notice"` : null}>${WORDS[job.state] ?? job.state} ${job.problem}</p>
${isOpen ? progress(job) : null}
${counts(job)}
${noticeList(job.notices)}
${actions(frame, job)}
</section>
${
  job.problems.length > 0
    ? html`<section class="panel" aria-labelledby="problems">
<h2 id="problems">Skipped rows</h2>
<p><a class="button quiet" href="/console/import/${job.id}/report" download>Download all as CSV</a></p>
${problemTable(job.problems)}
</section>`
    : null
}`,
  })
}

function progress({ id, share, rate, left, rows }: ImportJob): SafeHtml {
  const parts = [
    share === undefined ? undefined : `${Math.floor(share * 100)} %`,
    `${formatCount(rows)} rows`,
    rate === undefined ? undefined : `${formatCount(Math.round(rate))} a second`,
    left === undefined ? undefined : `${duration(left)} left`,
  ].filter((part) => part !== undefined)
  return html`<p><progress class="wide" aria-label="Progress" max="1"${share === undefined ? null : html` value="${share.toFixed(3)}"`}></progress></p>
<p>${parts.join(' · ')} <a href="/console/import/${id}">Refresh</a></p>`
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 90 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`
}

function counts({ dryRun, counts: all }: ImportJob): SafeHtml {
  const rows: [string, number][] = [
    [dryRun ? 'Links to create' : 'Links created', all.created],
    ['of these under another alias', all.renamed],
    ['Already imported', all.present],
    ['Alias taken', all.taken],
    ['Invalid', all.refused],
    [dryRun ? 'Clicks to import' : 'Clicks imported', all.clicks],
  ]
  return html`<table><tbody>${rows.map(
    ([text, count]) =>
      html`<tr><th scope="row">${text}</th><td class="number">${formatCount(count)}</td></tr>`,
  )}</tbody></table>`
}

function actions(frame: Frame, { id, state, background }: ImportJob): SafeHtml | null {
  if (!background || state === 'done' || state === 'cancelled') return null
  const button = (action: string, text: string, kind: string) =>
    html`<form class="in-line" method="post" action="/console/import/${id}/${action}">${csrfField(frame.csrf)}<button class="button${kind}">${text}</button></form> `
  return html`${state === 'checked' ? button('start', 'Import', '') : null}
${state === 'failed' ? button('retry', 'Resume', '') : null}
${state === 'uploading' ? null : button('cancel', 'Cancel', ' quiet')}`
}

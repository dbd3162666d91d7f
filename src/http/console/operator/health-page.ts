import { html, type SafeHtml } from '@remix-run/html-template'
import type { Frame } from '../shell/layout.ts'
import { operatorPage } from './layout.ts'

export type HealthGroup = {
  name: string
  rows: readonly (readonly [name: string, value: string])[]
}

export type HealthPage = {
  /** Problems, each with a remedy. */
  findings: readonly { problem: string; remedy: string }[]
  groups: readonly HealthGroup[]
  /** When it was so. */
  at: string
}

/** Renders the health of the service: problems first, then numbers. */
export function healthPage(frame: Frame, { findings, groups, at }: HealthPage): string {
  return operatorPage(frame, {
    title: 'Health',
    at: '/console/operator/health',
    files: ['live.js'],
    body: html`<h1>Health</h1>
<div id="health" data-live>
${findings.length === 0 ? html`<p class="inset told">All systems operational.</p>` : problems(findings)}
<div class="columns">${groups.map(group)}</div>
<p class="small soft">Updated ${at}. Also available at <code>/metrics</code>.</p>
</div>
<p class="small soft" id="live-note" hidden>● Live · updates every 15 s</p>`,
  })
}

function problems(findings: HealthPage['findings']): SafeHtml {
  return html`<section class="problems" aria-label="Issues">${findings.map(
    ({ problem, remedy }) => html`<div class="notice"><strong>${problem}</strong>
<p>${remedy}</p></div>`,
  )}</section>`
}

function group({ name, rows }: HealthGroup): SafeHtml {
  const id = name.toLowerCase().replaceAll(' ', '-')
  return html`<section class="panel" aria-labelledby="${id}">
<h2 id="${id}">${name}</h2>
<dl class="facts">${rows.map(([term, value]) => html`<dt>${term}</dt><dd class="count">${value}</dd>`)}</dl>
</section>`
}

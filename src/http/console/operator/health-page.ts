import { html, type SafeHtml } from '@remix-run/html-template'
import type { Frame } from '../shell/layout.ts'
import { operatorPage } from './layout.ts'

export type HealthGroup = {
  name: string
  rows: readonly (readonly [name: string, value: string])[]
}

export type HealthPage = {
  /** What is wrong, and what to do about it. */
  findings: readonly { problem: string; remedy: string }[]
  groups: readonly HealthGroup[]
  /** When it was so, in UTC. */
  at: string
}

/** How the service is, in words first and then in figures. */
export function healthPage(frame: Frame, { findings, groups, at }: HealthPage): string {
  return operatorPage(frame, {
    title: 'Health',
    at: '/console/operator/health',
    files: ['live.js'],
    body: html`<h1>Health</h1>
<div id="health" data-live>
${findings.length === 0 ? html`<p class="inset told">All is well.</p>` : problems(findings)}
<div class="columns">${groups.map(group)}</div>
<p class="small soft">At ${at} UTC. The same figures, and more, are at <code>/metrics</code> for programs.</p>
</div>
<p class="small soft" id="live-note" hidden>The figures follow while this page is open.</p>`,
  })
}

function problems(findings: HealthPage['findings']): SafeHtml {
  return html`<section class="problems" aria-label="What is wrong">${findings.map(
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

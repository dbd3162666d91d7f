import { html, type SafeHtml } from '@remix-run/html-template'
import { type TextsIn, t } from '../../../../texts.ts'
import type { Frame } from '../../shell/layout.ts'
import { renderOperatorPage } from '../layout.ts'

const METRICS_PATH = '/metrics'

export type HealthGroup = {
  id: TextsIn<'admin.health.groups'>
  rows: readonly (readonly [name: string, value: string])[]
}

export type HealthPage = {
  /** Problems, each with a remedy. */
  findings: readonly { problem: string; remedy: string }[]
  groups: readonly HealthGroup[]
  /** The time of these values. */
  updatedAt: string
}

/** Renders the health of the service: problems first, then numbers. */
export function renderHealthPage(
  frame: Frame,
  { findings, groups, updatedAt }: HealthPage,
): string {
  return renderOperatorPage(frame, {
    title: t('admin.health.title'),
    currentSection: '/console/operator/health',
    body: html`<h1>${t('admin.health.title')}</h1>
<div id="health" data-live>
${findings.length === 0 ? html`<p class="inset told">${t('admin.health.noIssues')}</p>` : renderFindings(findings)}
<div class="columns">${groups.map(renderGroup)}</div>
<p class="small soft">${t('admin.health.updated', { date: updatedAt })} <code>${METRICS_PATH}</code>.</p>
</div>
<p class="small soft" id="live-note" hidden>${t('admin.health.live')}</p>`,
  })
}

function renderFindings(findings: HealthPage['findings']): SafeHtml {
  return html`<section class="problems" aria-label="${t('admin.health.issues')}">${findings.map(
    ({ problem, remedy }) => html`<div class="notice"><strong>${problem}</strong>
<p>${remedy}</p></div>`,
  )}</section>`
}

function renderGroup({ id, rows }: HealthGroup): SafeHtml {
  return html`<section class="panel" aria-labelledby="${id}">
<h2 id="${id}">${t(`admin.health.groups.${id}`)}</h2>
<dl class="facts">${rows.map(([term, value]) => html`<dt>${term}</dt><dd class="count">${value}</dd>`)}</dl>
</section>`
}

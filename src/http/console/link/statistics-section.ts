import { html, type SafeHtml } from '@remix-run/html-template'
import { formatCount } from '../shell/format-count.ts'
import type { Key } from '../shell/keys-help.ts'
import { type TimeChart, timeChart } from '../shell/time-chart.ts'
import { unavailableNote } from '../shell/unavailable-note.ts'
import { type Chooser, chooser } from './chooser.ts'
import { allTimeFigures, type Figures, figures } from './figures.ts'
import { type Ranking, rankingPanel } from './ranking.ts'

/** Clicks within a period. */
export type ShownStatistics = {
  /** What is wrong with the period that was asked for, instead of which the usual one is shown. */
  error?: string | undefined
  chooser: Chooser
  figures: Figures
  /** Left out where there is nothing to draw. */
  chart: TimeChart | undefined
  /** Where nobody clicked in this period: when somebody did. */
  elsewhere?: { href: string; label: string } | undefined
  /** How many of all clicks came with an import, and of which days they are. */
  imported?: { clicks: number; span: string } | undefined
  /** What the dashed line is, where one is drawn. */
  beforeName?: string | undefined
  rankings: readonly Ranking[]
  timelineCsv: string
  /** Whether what is shown still changes. */
  live: boolean
}

/** What is left of them while the server that stores them is down. */
export type UnavailableStatistics = Pick<Figures, 'allClicks' | 'lastClick'> & {
  unavailable: true
  error?: undefined
}

type Statistics = ShownStatistics | UnavailableStatistics

/** The styles and scripts of a page with statistics. */
export function statisticsFiles(page: Statistics): string[] {
  const live = 'live' in page && page.live
  return ['link.css', 'link-keys.js', ...(live ? ['live.js'] : [])]
}

/** The single keys of a page with statistics. */
export function statisticsKeys(page: Statistics): Key[] {
  if ('unavailable' in page) return []
  return [
    ...page.chooser.presets.map(({ key, label }): Key => [key, label.toLowerCase()]),
    ['← →', 'earlier, later'],
    ['X', 'compare with the period before'],
  ]
}

/** Who clicked when, and from where. */
export function statisticsPanels(page: Statistics): SafeHtml {
  if ('unavailable' in page) return unavailable(page)
  const { error, chart, rankings } = page
  return html`<section class="panel" aria-labelledby="statistics">
<h2 id="statistics">Clicks</h2>
${error ? html`<p class="notice" role="alert">${error}</p>` : null}
${chooser(page.chooser)}
<div id="report"${page.live ? html` data-live` : null}>
${figures(page.figures)}
${page.figures.clicks.total === 0 ? nothing(page) : null}
${
  chart
    ? html`${timeChart(chart)}
<p class="small soft legend">${legend(page)}</p>`
    : null
}
${importedNote(page)}
</div>
${
  page.live
    ? html`<p class="small soft" id="live-note" hidden>● Live · updates every 15 s</p>`
    : null
}
</section>
${
  rankings.length > 0
    ? html`<div class="rankings" id="rankings"${page.live ? html` data-live` : null}>${rankings.map(rankingPanel)}</div>`
    : null
}`
}

function unavailable({ allClicks, lastClick }: UnavailableStatistics): SafeHtml {
  return html`<section class="panel" aria-labelledby="statistics">
<h2 id="statistics">Clicks</h2>
${unavailableNote}
${allTimeFigures({ allClicks, lastClick })}
</section>`
}

function nothing({ elsewhere }: ShownStatistics): SafeHtml {
  return html`<p class="inset">${
    elsewhere
      ? html`No clicks in this period. <a href="${elsewhere.href}">View ${elsewhere.label}</a>`
      : 'No clicks yet. New clicks appear here within seconds.'
  }</p>`
}

/** Its visitors are not known, which is why new visitors are missing there. */
function importedNote({ imported }: ShownStatistics): SafeHtml | null {
  if (!imported) return null
  const { clicks, span } = imported
  const count = clicks === 1 ? '1 click' : `${formatCount(clicks)} clicks`
  return html`<p class="small soft legend">${count} (${span}) were imported and have no visitor data.</p>`
}

function legend({ chart, beforeName, timelineCsv }: ShownStatistics): SafeHtml {
  const isOpen = chart?.steps.some(({ state }) => state === 'open')
  return html`Days are those of UTC.${isOpen ? ' What is hatched or dashed at the end has not ended.' : ''}${
    beforeName ? ` The pale dashed line is ${beforeName}.` : ''
  } <a href="${timelineCsv}" download>Download as CSV</a>`
}

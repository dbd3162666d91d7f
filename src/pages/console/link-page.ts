import { html } from '@remix-run/html-template'
import { consolePage, type Frame } from './frame.ts'
import { type Chooser, chooser } from './link-chooser.ts'
import { type CodeForm, codePanel } from './link-code.ts'
import { type Figures, figures } from './link-figures.ts'
import { guessesPanel, type ShownGuesses } from './link-guesses.ts'
import { type HeadLink, head } from './link-head.ts'
import { type Ranking, rankingPanel } from './link-ranking.ts'
import { type TimeChart, timeChart } from './time-chart.ts'

export type LinkPage = {
  link: HeadLink
  /** What is wrong with the period that was asked for, instead of which the usual one is shown. */
  error?: string | undefined
  chooser: Chooser
  figures: Figures
  /** Left out where there is nothing to draw. */
  chart: TimeChart | undefined
  /** Where nobody clicked in this period: when somebody did. */
  elsewhere?: { href: string; label: string } | undefined
  /** What the dashed line is, where one is drawn. */
  beforeName?: string | undefined
  rankings: readonly Ranking[]
  timelineCsv: string
  code: CodeForm
  guesses?: ShownGuesses | undefined
  /** Whether what is shown still changes. */
  live: boolean
}

/** One link: what it is, who clicked it when, and its QR code. */
export function linkPage(frame: Frame, page: LinkPage): string {
  const { link, error, chart, rankings } = page
  return consolePage(frame, {
    title: link.shortUrl,
    place: '/console/links',
    files: ['link.css', 'link-keys.js', ...(page.live ? ['live.js'] : [])],
    body: html`${head(frame, link)}
${page.guesses ? guessesPanel(page.guesses) : null}
<section class="panel" aria-labelledby="statistics">
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
</div>
${
  page.live
    ? html`<p class="small soft" id="live-note" hidden>The figures follow while this page is open.</p>`
    : null
}
</section>
${
  rankings.length > 0
    ? html`<div class="rankings" id="rankings"${page.live ? html` data-live` : null}>${rankings.map(rankingPanel)}</div>`
    : null
}
${codePanel(page.code)}`,
  })
}

function nothing({ elsewhere }: LinkPage) {
  return html`<p class="inset">${
    elsewhere
      ? html`Nobody clicked this link in this period. <a href="${elsewhere.href}">Show ${elsewhere.label}</a>, in which somebody did.`
      : 'Nobody has clicked this link yet. What happens shows up here within seconds.'
  }</p>`
}

function legend({ chart, beforeName, timelineCsv }: LinkPage) {
  const isOpen = chart?.steps.some(({ state }) => state === 'open')
  return html`Days are those of UTC.${isOpen ? ' What is hatched or dashed at the end has not ended.' : ''}${
    beforeName ? ` The pale dashed line is ${beforeName}.` : ''
  } <a href="${timelineCsv}" download>Download as CSV</a>`
}

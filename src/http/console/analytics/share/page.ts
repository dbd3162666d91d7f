import { html } from '@remix-run/html-template'
import { faviconPath } from '../../../../pages/favicon.ts'
import { getLanguage, t } from '../../../../texts.ts'
import { renderScripts, renderStylesheet } from '../../assets.ts'
import { renderTimeChart } from '../../kit/chart.ts'
import { renderMetrics } from '../../kit/metrics.ts'
import { renderBar } from '../bar.ts'
import { renderCardPanels } from '../card-panels.ts'
import { createChart, findPreviousCounts } from '../chart.ts'
import type { Outcome, PageState } from '../read.ts'
import { renderNotes, renderUnavailableState } from '../section.ts'

export type SharedStatistics = {
  nonce: string
  pageState: PageState
  outcome: Outcome
  now: Date
  credit: { text: string; href: string } | undefined
}

/** Renders the public statistics of a link or campaign, without other links and filters. */
export function renderSharedPage(page: SharedStatistics): string {
  const { nonce, pageState, outcome } = page
  const { name } = pageState.subject
  const title = t('share.title', { name })
  const content = html`<body class="console shared">
<main id="content">
<h1 class="address"><bdi>${name}</bdi></h1>
${pageState.error ? html`<p class="notice" role="alert">${pageState.error}</p>` : null}
${renderBar(pageState, { isShared: true })}
<section class="report" aria-label="${t('analytics.title')}">
${'statistics' in outcome ? renderReport(page, outcome) : renderUnavailableState(pageState, outcome)}
</section>
${'statistics' in outcome && outcome.statistics.clicks > 0 ? renderCardPanels(pageState, outcome.statistics, { credit: page.credit, isShared: true }) : null}
<p class="small soft">${t('share.footer')}</p>
</main>
</body>`
  return String(html`<!doctype html>
<html lang="${getLanguage()}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${faviconPath}">
${renderStylesheet(nonce)}
${renderScripts(nonce, content)}
</head>
${content}
</html>
`)
}

function renderReport(
  { pageState, now }: SharedStatistics,
  { statistics }: Extract<Outcome, { statistics: unknown }>,
) {
  const { compare, metric } = pageState.state
  return html`${renderMetrics({
    counts: statistics,
    previous: findPreviousCounts(pageState, statistics, now),
    previousName: t(`periods.comparedWith.${compare ?? 'previous'}`),
    current: metric,
    hrefOf: (name) => pageState.buildHref({ metric: name }),
  })}
${statistics.clicks > 0 ? renderTimeChart(createChart(pageState, statistics, now)) : html`<p class="inset">${t('analytics.noClicksNow')}</p>`}
${renderNotes(pageState, statistics, true)}`
}

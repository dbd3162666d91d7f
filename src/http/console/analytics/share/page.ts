import { html } from '@remix-run/html-template'
import { faviconPath } from '../../../../pages/favicon.ts'
import { currentLanguage } from '../../../localization/language.ts'
import { timeChart } from '../../shell/time-chart.ts'
import { bar } from '../bar.ts'
import { cardPanels } from '../card-panels.ts'
import { chartOf, countsBefore } from '../chart.ts'
import { figures } from '../figures.ts'
import { analyticsMessages as messages } from '../messages.ts'
import { periodMessages } from '../period-messages.ts'
import type { Outcome, Wanted } from '../read.ts'
import { notes, unavailableState } from '../section.ts'
import { shareMessages } from './messages.ts'

export type SharedStatistics = {
  nonce: string
  /** Returns the URL of a style or script. */
  asset: (name: string) => string
  wanted: Wanted
  outcome: Outcome
  now: Date
  credit: { text: string; href: string } | undefined
}

const FILES = ['console.css', 'link.css', 'analytics.css', 'link-keys.js', 'tabs.js']

/** Renders the public statistics of a link or campaign, without other links and filters. */
export function sharedPage(page: SharedStatistics): string {
  const { nonce, asset, wanted, outcome } = page
  const { name } = wanted.subject
  const title = shareMessages.title.replace('{name}', name)
  return String(html`<!doctype html>
<html lang="${currentLanguage()}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${faviconPath}">
${FILES.map((file) => (file.endsWith('.css') ? html`<link rel="stylesheet" nonce="${nonce}" href="${asset(file)}">` : html`<script type="module" nonce="${nonce}" src="${asset(file)}"></script>`))}
</head>
<body class="console shared">
<main id="content">
<h1 class="address"><bdi>${name}</bdi></h1>
${wanted.error ? html`<p class="notice" role="alert">${wanted.error}</p>` : null}
${bar(wanted, { isShared: true })}
<section class="report" aria-label="${messages.title}">
${'found' in outcome ? report(page, outcome) : unavailableState(wanted, outcome)}
</section>
${'found' in outcome && outcome.found.clicks > 0 ? cardPanels(wanted, outcome.found, { credit: page.credit, isShared: true }) : null}
<p class="small soft">${shareMessages.footer}</p>
</main>
</body>
</html>
`)
}

function report(
  { wanted, now }: SharedStatistics,
  { found }: Extract<Outcome, { found: unknown }>,
) {
  const { compare, metric } = wanted.state
  return html`${figures({
    now: found,
    before: countsBefore(wanted, found, now),
    beforeName: periodMessages.comparedWith[compare ?? 'previous'],
    current: metric,
    hrefOf: (name) => wanted.to({ metric: name }),
  })}
${found.clicks > 0 ? timeChart(chartOf(wanted, found, now)) : html`<p class="inset">${messages.noClicksNow}</p>`}
${notes(wanted, found, true)}`
}

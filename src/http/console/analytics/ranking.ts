import { html, type SafeHtml } from '@remix-run/html-template'
import { t } from '../../../texts.ts'
import { formatCount, formatPercent } from '../shell/format-count.ts'
import { renderFlagImage } from './flag.ts'

export type Rank = {
  /** The stored label, in English. */
  label: string
  /** The label in the language of the page, if different. */
  text?: string | undefined
  /** The code of the country whose flag is shown. */
  country?: string | undefined
  /** The URL filtered by this label, or the label's own page. */
  href?: string | undefined
  clicks: number
  /** Clicks in the compared period. */
  comparison?: number | undefined
}

export type Ranking = {
  /** The singular name of a label, such as `Country`. */
  labelName: string
  ranks: readonly Rank[]
  /** The total for shares. */
  total: number
  /** The name of the counted events. Default: clicks. */
  countName?: string
  /** Whether the clicks are compared with those of another period. */
  isCompared?: boolean
}

/** Renders labels with clicks and bars. Labels are chosen by visitors, so they are untrusted. */
export function renderRankingTable(ranking: Ranking, headingId: string): SafeHtml {
  const { labelName, ranks, total, countName = t('analytics.metrics.clicks'), isCompared } = ranking
  const rows = ranks.map(({ label, text = label, country, href, clicks, comparison }) => {
    const share = total === 0 ? 0 : (clicks / total) * 100
    return html`<tr><th scope="row"><svg class="share" width="100%" height="100%" aria-hidden="true"><rect width="${Math.round(share * 10) / 10}%" height="100%" rx="6"/></svg><span class="label">${country ? renderFlagImage(country) : null}<bdi>${href ? html`<a href="${href}">${text}</a>` : text}</bdi></span></th><td class="number">${formatCount(clicks)}</td><td class="number soft">${formatShare(share)}</td>${isCompared ? html`<td class="number">${formatRankChange(clicks, comparison ?? 0)}</td>` : null}</tr>`
  })
  return html`<table class="ranks" aria-labelledby="${headingId}">
<thead><tr><th scope="col">${labelName}</th><th scope="col" class="number">${countName}</th><th scope="col" class="number">${t('breakdowns.share')}</th>${isCompared ? html`<th scope="col" class="number">${t('breakdowns.change')}</th>` : null}</tr></thead>
<tbody>${rows}</tbody>
</table>`
}

/** Formats a share in whole percent, at least `< 1%`. */
function formatShare(share: number): string {
  return share > 0 && share < 1 ? `< ${formatPercent(0.01)}` : formatPercent(share / 100)
}

/** Formats the change of a label's clicks briefly, for a table. */
function formatRankChange(clicks: number, before: number): string {
  if (before === 0) return clicks > 0 ? t('breakdowns.newLabel') : t('breakdowns.noChange')
  const change = Math.round(((clicks - before) / before) * 100)
  if (change === 0) return t('breakdowns.noChange')
  return `${change > 0 ? '↑' : '↓'} ${formatPercent(Math.abs(change) / 100)}`
}

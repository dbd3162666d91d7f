import { html, type SafeHtml } from '@remix-run/html-template'
import { t } from '../../../texts.ts'
import { resolveAssetPath } from '../assets.ts'
import { flags, getFlagFileName } from '../flags.ts'
import { formatCount, formatPercent } from '../shell/format.ts'
import { type NamedLink, renderLinkName } from './link-name.ts'
import { formatChange } from './metrics.ts'

export type Rank = {
  /** The stored label, in English. */
  label: string
  /** The label in the language of the page, if different. */
  text?: string | undefined
  /** The link whose name the label is. */
  link?: NamedLink
  /** The code of the country whose flag is shown. */
  country?: string | undefined
  /** The glyph of the label. */
  glyph?: SafeHtml | null
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
  /** Whether that period has all details that changes need. */
  isComparable?: boolean
}

/** Renders labels with clicks and bars. Labels are chosen by visitors, so they are untrusted. */
export function renderRanking(ranking: Ranking, headingId: string): SafeHtml {
  const { labelName, ranks, total, countName = t('analytics.metrics.clicks'), isCompared } = ranking
  const { isComparable = true } = ranking
  const largest = Math.max(1, ...ranks.map(({ clicks }) => clicks))
  const rows = ranks.map(
    ({ label, text = label, link, country, glyph, href, clicks, comparison }) => {
      const share = total === 0 ? 0 : (clicks / total) * 100
      const length = (clicks / largest) * 100
      return html`<tr><th scope="row"><svg class="share" width="100%" height="100%" aria-hidden="true"><rect width="${Math.round(length * 10) / 10}%" height="100%" rx="6"/></svg><span class="label">${country ? renderFlag(country) : (glyph ?? null)}${link ? renderLinkName(link, { href }) : html`<bdi>${href ? html`<a href="${href}">${text}</a>` : text}</bdi>`}</span></th><td class="number">${formatCount(clicks)}</td><td class="number soft">${formatShare(share)}</td>${isCompared ? html`<td class="number">${isComparable ? describeRankChange(clicks, comparison) : t('breakdowns.notComparable')}</td>` : null}</tr>`
    },
  )
  return html`<table class="ranks" aria-labelledby="${headingId}">
<thead><tr><th scope="col">${labelName}</th><th scope="col" class="number">${countName}</th><th scope="col" class="number">${t('breakdowns.share')}</th>${isCompared ? html`<th scope="col" class="number">${t('breakdowns.change')}</th>` : null}</tr></thead>
<tbody>${rows}</tbody>
</table>`
}

/** Renders a country's flag as an image, because many systems lack the emoji. */
function renderFlag(code: string): SafeHtml | null {
  if (!flags.has(code)) return null
  return html`<img class="flag" src="${resolveAssetPath(getFlagFileName(code))}" width="21" height="14" alt="" loading="lazy"> `
}

/** Formats a share in whole percent, at least `< 1%`. */
function formatShare(share: number): string {
  return share > 0 && share < 1 ? `< ${formatPercent(0.01)}` : formatPercent(share / 100)
}

function describeRankChange(clicks: number, before = 0): string {
  if (before === 0 && clicks > 0) return t('breakdowns.newLabel')
  return formatChange(clicks, before)
}

import { html, type SafeHtml } from '@remix-run/html-template'
import { formatCount } from '../shell/format-count.ts'

export type Rank = {
  label: string
  /** A short sign before the label, such as the code of a country. */
  sign?: string | undefined
  /** Where more of it is shown. */
  href?: string | undefined
  clicks: number
}

export type Ranking = {
  /** Unique on the page. */
  name: string
  /** Such as `Countries`, and what one of them is. */
  title: string
  one: string
  /** What is counted; clicks by default. */
  counted?: string
  ranks: readonly Rank[]
  /** The clicks that shares are parts of. */
  total: number
  /** Where all of them are shown. */
  href?: string | undefined
  /** Whose data the labels come from. */
  credit?: { text: string; href: string } | undefined
}

/** The most clicked of one kind. */
export function rankingPanel(ranking: Ranking): SafeHtml {
  const { name, title, href } = ranking
  return html`<section class="panel" aria-labelledby="${name}">
<div class="title"><h2 id="${name}">${title}</h2>${href ? html`<a class="small" href="${href}">See all<span class="hidden-text"> ${title.toLowerCase()}</span></a>` : null}</div>
${rankingTable(ranking)}
</section>`
}

/** Labels with their clicks, and bars as long as their share. Labels are what strangers sent. */
export function rankingTable({
  name,
  one,
  counted = 'Clicks',
  ranks,
  total,
  credit,
}: Omit<Ranking, 'href' | 'title'>): SafeHtml {
  const rows = ranks.map(({ label, sign, href, clicks }) => {
    const share = total === 0 ? 0 : (clicks / total) * 100
    return html`<tr><th scope="row"><svg class="share" width="100%" height="100%" aria-hidden="true"><rect width="${Math.round(share * 10) / 10}%" height="100%" rx="6"/></svg><span class="label">${sign ? html`<span class="sign" aria-hidden="true">${sign}</span> ` : null}<bdi>${href ? html`<a href="${href}">${label}</a>` : label}</bdi></span></th><td class="number">${formatCount(clicks)}</td><td class="number soft">${shareText(share)}</td></tr>`
  })
  return html`<table class="ranks" aria-labelledby="${name}">
<thead><tr><th scope="col">${one}</th><th scope="col" class="number">${counted}</th><th scope="col" class="number">Share</th></tr></thead>
<tbody>${rows}</tbody>
</table>
${credit ? html`<p class="small soft"><a href="${credit.href}" rel="noreferrer">${credit.text}</a></p>` : null}`
}

/** A share in whole percent; what is there at all is never nothing. */
export function shareText(share: number): string {
  return share > 0 && share < 1 ? '< 1%' : `${Math.round(share)}%`
}

import { html, type SafeHtml } from '@remix-run/html-template'
import { page } from './layout.ts'
import { safeHref } from './safe-url.ts'
import { shortLinkText } from './short-link-text.ts'

export type CampaignPage = {
  nonce: string
  name: string
  username: string
  links: readonly { title: string; shortUrl: string }[]
  /** Counted from 1. */
  page: number
  maxPage: number
}

/**
 * The public list of a campaign's links, one page of it; the pager leads to `?page=N` of the same
 * address. Needs nothing beyond the common policy.
 */
export function campaignPage(campaign: CampaignPage): string {
  const { nonce, name, username, links } = campaign
  return page({
    title: name,
    nonce,
    width: 'wide',
    body: html`<p class="eyebrow">Links by ${username}</p>
<h1 dir="auto">${name}</h1>
${links.length > 0 ? list(links) : html`<p class="soft">There are no links here yet.</p>`}
${campaign.maxPage > 1 ? pager(campaign) : null}`,
  })
}

function list(links: CampaignPage['links']): SafeHtml {
  return html`<ul class="list">
${links.map(
  ({
    title,
    shortUrl,
  }) => html`<li><a class="row" href="${safeHref(shortUrl)}"><strong dir="auto">${title}</strong> <span class="address"><bdi>${shortLinkText(shortUrl)}</bdi></span></a></li>
`,
)}</ul>`
}

function pager({ page, maxPage }: CampaignPage): SafeHtml {
  return html`<nav class="pager" aria-label="Pages">
${page > 1 ? html`<a class="button quiet" rel="prev" href="?page=${page - 1}">Previous</a>` : null}
<span class="small soft">Page ${page} of ${maxPage}</span>
${page < maxPage ? html`<a class="button quiet" rel="next" href="?page=${page + 1}">Next</a>` : null}
</nav>`
}

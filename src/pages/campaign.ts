import { html, type SafeHtml } from '@remix-run/html-template'
import { page } from './layout.ts'
import { safeHref } from './safe-url.ts'
import { shortLinkText } from './short-link-text.ts'
import { languageTag, type PageContext, visitorHtml, visitorText } from './texts.ts'

export type CampaignPage = PageContext & {
  name: string
  username: string
  links: readonly { title: string; shortUrl: string }[]
  /** The page number, starting at 1. */
  page: number
  maxPage: number
}

/**
 * Renders one page of a campaign's public list. The pager links to `?page=N`. Needs only the common
 * policy.
 */
export function campaignPage(campaign: CampaignPage): string {
  const { nonce, language, name, username, links } = campaign
  return page({
    title: name,
    nonce,
    language,
    width: 'wide',
    body: html`<p class="eyebrow">${visitorHtml(language, 'campaign.linksBy', { name: html`<bdi>${username}</bdi>` })}</p>
<h1 dir="auto">${name}</h1>
${links.length > 0 ? list(links) : html`<p class="soft">${visitorText(language, 'campaign.empty')}</p>`}
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

function pager({ language, page, maxPage }: CampaignPage): SafeHtml {
  const number = new Intl.NumberFormat(languageTag(language))
  const position = { page: number.format(page), pages: number.format(maxPage) }
  return html`<nav class="pager" aria-label="${visitorText(language, 'campaign.pages')}">
${page > 1 ? html`<a class="button quiet" rel="prev" href="?page=${page - 1}">${visitorText(language, 'campaign.previous')}</a>` : null}
<span class="small soft">${visitorText(language, 'campaign.pageOf', position)}</span>
${page < maxPage ? html`<a class="button quiet" rel="next" href="?page=${page + 1}">${visitorText(language, 'campaign.next')}</a>` : null}
</nav>`
}

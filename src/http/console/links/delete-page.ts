import { html } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { formatCount } from '../shell/format-count.ts'
import { consolePage, type Frame } from '../shell/layout.ts'

type Picked = { id: number; shortUrl: string; clicks: number }

/** Asks whether these links are really to be deleted. `address` is the list that they were picked in. */
export function deleteLinksPage(
  frame: Frame,
  { links, address }: { links: readonly Picked[]; address: string },
): string {
  const isOne = links.length === 1
  const count = isOne ? '1 link' : `${formatCount(links.length)} links`
  const clicks = links.reduce((sum, link) => sum + link.clicks, 0)
  return consolePage(frame, {
    title: `Delete ${count}?`,
    section: '/console/links',
    files: ['links.css'],
    body: html`<div data-ask><h1>Delete ${count}?</h1>
<p class="lead">${isOne ? 'It stops' : 'They stop'} working at once, and ${clicksText(clicks)} too, as do QR codes made for ${isOne ? 'it' : 'them'}. This cannot be undone.</p>
<section class="panel" aria-label="Links to delete">
<ul class="plain">${links.map(
      (link) =>
        html`<li><span class="address"><bdi>${shortLinkText(link.shortUrl)}</bdi></span> <span class="small soft">${formatClicks(link.clicks)}</span></li>`,
    )}</ul>
</section>
<form method="post" action="/console/links/change">${csrfField(frame.csrf)}
<input type="hidden" name="action" value="delete"><input type="hidden" name="sure" value="yes">
<input type="hidden" name="back" value="${address}">
${links.map(({ id }) => html`<input type="hidden" name="id" value="${id}">`)}
<p class="actions"><button class="button danger">Delete ${count}</button>
<a class="button quiet" href="${address}" data-keep>Keep ${isOne ? 'it' : 'them'}</a></p>
</form></div>`,
  })
}

function clicksText(clicks: number): string {
  if (clicks === 0) return 'everything counted goes'
  return `the ${formatClicks(clicks)} counted ${clicks === 1 ? 'goes' : 'go'}`
}

function formatClicks(clicks: number): string {
  return clicks === 1 ? '1 click' : `${formatCount(clicks)} clicks`
}

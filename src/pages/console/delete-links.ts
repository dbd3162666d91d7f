import { html } from '@remix-run/html-template'
import { csrfField } from '../field.ts'
import { formatCount } from './format-count.ts'
import { consolePage, type Frame } from './frame.ts'

type Picked = { id: number; shortUrl: string }

/** Asks whether these links are really to be deleted. `address` is the list that they were picked in. */
export function deleteLinksPage(
  frame: Frame,
  { links, address }: { links: readonly Picked[]; address: string },
): string {
  const count = links.length === 1 ? '1 link' : `${formatCount(links.length)} links`
  return consolePage(frame, {
    title: `Delete ${count}?`,
    place: '/console/links',
    files: ['links.css'],
    body: html`<h1>Delete ${count}?</h1>
<p class="lead">${links.length === 1 ? 'It stops' : 'They stop'} working at once, and everything counted of ${links.length === 1 ? 'it' : 'them'} goes too. This cannot be undone.</p>
<section class="panel" aria-label="Links to delete">
<ul class="plain">${links.map(({ shortUrl }) => html`<li><span class="address">${shortUrl}</span></li>`)}</ul>
</section>
<form method="post" action="/console/links/change">${csrfField(frame.csrf)}
<input type="hidden" name="action" value="delete"><input type="hidden" name="sure" value="yes">
<input type="hidden" name="back" value="${address}">
${links.map(({ id }) => html`<input type="hidden" name="id" value="${id}">`)}
<p class="actions"><button class="button danger">Delete ${count}</button>
<a class="button quiet" href="${address}">Keep ${links.length === 1 ? 'it' : 'them'}</a></p>
</form>`,
  })
}

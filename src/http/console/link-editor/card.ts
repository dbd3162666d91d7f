import { html, type SafeHtml } from '@remix-run/html-template'
import { hostOf } from '../../../pages/safe-url.ts'
import type { FilledForm } from './form.ts'

/**
 * How the link looks where it is shared. The picture is only named: to draw it, the browser would ask
 * another site for it. A script redraws what has `data-card` as one types.
 */
export function linkCard({ form, choices }: FilledForm): SafeHtml {
  const { metaTitle, metaDescription, metaImage, url } = form
  const picture = hostOf(metaImage)
  return html`<figure class="card" data-cards>
<figcaption class="eyebrow">Social preview</figcaption>
<div class="card-box">
<p class="card-picture" data-card="picture"${picture ? null : html` hidden`}>Image from ${picture}</p>
<p class="small soft" data-card="host" dir="ltr">${form.domain || choices.host}</p>
<p class="card-title" data-card="title" dir="auto">${metaTitle || hostOf(url) || 'Title of the destination page'}</p>
<p class="card-text" data-card="description" dir="auto"${metaDescription ? null : html` hidden`}>${metaDescription}</p>
</div>
</figure>`
}

import { html, type SafeHtml } from '@remix-run/html-template'
import { fill } from '../../../pages/fill.ts'
import { hostOf } from '../../../pages/safe-url.ts'
import { type FilledForm, typedText } from './form.ts'
import { editorMessages } from './messages.ts'

const texts = editorMessages.card

/**
 * Renders a preview of the link when shared. The image is only named, because loading it would send
 * a request to another site. A script updates elements with `data-card` on input.
 */
export function linkCard({ form, choices }: FilledForm): SafeHtml {
  const typed = (name: string) => typedText(form, name)
  const [title, description] = [typed('metaTitle'), typed('metaDescription')]
  const picture = hostOf(typed('metaImage'))
  return html`<figure class="card" data-cards data-empty="${texts.empty}" data-image="${texts.image}">
<figcaption class="eyebrow">${texts.title}</figcaption>
<div class="card-box">
<p class="card-picture" data-card="picture"${picture ? null : html` hidden`}>${fill(texts.image, { host: picture })}</p>
<p class="small soft" data-card="host" dir="ltr">${typed('domain') || choices.host}</p>
<p class="card-title" data-card="title" dir="auto">${title || hostOf(typed('url')) || texts.empty}</p>
<p class="card-text" data-card="description" dir="auto"${description ? null : html` hidden`}>${description}</p>
</div>
</figure>`
}

import { html } from '@remix-run/html-template'
import { avatarSvg } from './avatar.ts'
import type { PageContext } from './language.ts'
import { page } from './layout.ts'
import { metaTags } from './meta.ts'
import { safeHref } from './safe-url.ts'

export type BioPage = PageContext & {
  title: string
  text?: string
  links: readonly { title: string; url: string }[]
}

/** Renders a public page of links. Needs only the common policy. */
export function bioPage({ nonce, language, title, text, links }: BioPage): string {
  return page({
    title,
    nonce,
    language,
    indexed: true,
    head: metaTags({ title, description: text }),
    body: html`<div class="center">
<div class="avatar" aria-hidden="true">${avatarSvg(title)}</div>
<h1 dir="auto">${title}</h1>
${text ? html`<p class="soft text" dir="auto">${text}</p>` : null}
${
  links.length > 0
    ? html`<ul class="list">
${links.map(
  (
    link,
  ) => html`<li><a class="row" href="${safeHref(link.url)}"><strong dir="auto">${link.title}</strong></a></li>
`,
)}</ul>`
    : null
}
</div>`,
  })
}

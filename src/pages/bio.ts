import { html } from '@remix-run/html-template'
import { avatarSvg } from './avatar.ts'
import { type BioTheme, themeStyle } from './bio-theme.ts'
import type { PageContext } from './language.ts'
import { page } from './layout.ts'
import { metaTags } from './meta.ts'
import { safeHref } from './safe-url.ts'

export type BioPage = PageContext & {
  title: string
  text?: string
  theme?: BioTheme
  color?: string
  /** The path of the picture on this host. */
  picture?: string | undefined
  /** The full URL of the picture, for link previews on other sites. */
  pictureUrl?: string | undefined
  /** `path` is the short link that counts the clicks of a button. */
  links: readonly { title: string; url: string; path?: string | undefined }[]
}

/** Renders a public page of links. Needs only the common policy. */
export function bioPage({
  nonce,
  language,
  title,
  text,
  theme = 'auto',
  color = '',
  picture,
  pictureUrl,
  links,
}: BioPage): string {
  const style = themeStyle(theme, color)
  return page({
    title,
    nonce,
    language,
    indexed: true,
    head: html`${metaTags({ title, ...(text && { description: text }), ...(pictureUrl && { image: pictureUrl }) })}
${style && html`<style nonce="${nonce}">${style}</style>`}`,
    body: html`<div class="center">
<div class="avatar" aria-hidden="true">${picture === undefined ? avatarSvg(title) : html`<img src="${picture}" width="112" height="112" alt="">`}</div>
<h1 dir="auto">${title}</h1>
${text ? html`<p class="soft text" dir="auto">${text}</p>` : null}
${
  links.length > 0
    ? html`<ul class="list">
${links.map(
  ({
    title,
    url,
    path,
  }) => html`<li><a class="row" href="${path ?? safeHref(url)}"><strong dir="auto">${title}</strong></a></li>
`,
)}</ul>`
    : null
}
</div>`,
  })
}

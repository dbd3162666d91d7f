import { html } from '@remix-run/html-template'
import { continueLink } from './continue-link.ts'
import type { PageContext } from './language.ts'
import { page } from './layout.ts'
import { type Meta, metaTags, refresh } from './meta.ts'
import { hostOf } from './safe-url.ts'

export type LinkPreviewPage = PageContext & { shortUrl: string; target: string; meta: Meta }

/**
 * What the bots that draw link previews get in place of a redirect: the owner's title, description
 * and image as tags. Leads a person who was taken for a bot on to the target. Needs nothing beyond
 * the common policy.
 */
export function linkPreviewPage({
  nonce,
  language,
  shortUrl,
  target,
  meta,
}: LinkPreviewPage): string {
  const title = meta.title || hostOf(target)
  return page({
    title,
    nonce,
    language,
    head: html`${metaTags({ ...meta, title }, shortUrl)}
${refresh(target)}`,
    body: html`<h1 dir="auto">${title}</h1>
${meta.description ? html`<p class="soft text" dir="auto">${meta.description}</p>` : null}
${continueLink(language, target)}`,
  })
}

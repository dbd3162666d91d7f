import { html } from '@remix-run/html-template'
import { continueLink } from './continue-link.ts'
import { page } from './layout.ts'
import { type Meta, metaTags, refreshTag } from './meta.ts'
import { hostOf } from './safe-url.ts'
import type { PageContext } from './texts.ts'

export type LinkPreviewPage = PageContext & { shortUrl: string; destination: string; meta: Meta }

/**
 * Renders the page that preview bots get instead of a redirect. Its tags contain the owner's title,
 * description and image. People who were mistaken for bots are redirected. Needs only the common
 * policy.
 */
export function linkPreviewPage({
  nonce,
  language,
  shortUrl,
  destination,
  meta,
}: LinkPreviewPage): string {
  const title = meta.title || hostOf(destination)
  return page({
    title,
    nonce,
    language,
    head: html`${metaTags({ ...meta, title }, shortUrl)}
${refreshTag(destination)}`,
    body: html`<h1 dir="auto">${title}</h1>
${meta.description ? html`<p class="soft text" dir="auto">${meta.description}</p>` : null}
${continueLink(language, destination)}`,
  })
}

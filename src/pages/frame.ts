import { html, type SafeHtml } from '@remix-run/html-template'
import type { CspExtras } from './csp.ts'
import { page } from './layout.ts'
import { type Meta, metaTags } from './meta.ts'
import { renderPixelImages } from './pixels.ts'
import { hostOf, safeHref } from './safe-url.ts'
import type { Language, PageContext } from './texts.ts'
import { visitorHtml } from './texts.ts'

export type FramePage = PageContext & {
  destination: string
  meta?: Meta
  pixelUrls?: readonly string[]
}

/**
 * Allows any site in the frame, and not only the destination's. Browsers check `frame-src` for each
 * redirect and each link followed inside the frame, so with a single origin, `example.com` could
 * not redirect to `www.example.com`.
 */
export const framePolicy: CspExtras = { frameSrc: ['https:', 'http:'] }

/**
 * Renders the destination in a frame that fills the window. Needs `framePolicy`. Browsers leave the
 * frame empty if the destination forbids framing, or if it uses http and the short URL uses https.
 * The first element in tab order is a direct link to the destination.
 */
export function framePage({
  nonce,
  language,
  destination,
  meta = {},
  pixelUrls = [],
}: FramePage): string {
  const title = meta.title || hostOf(destination)
  return page({
    title,
    nonce,
    language,
    width: 'bleed',
    head: metaTags({ ...meta, title }),
    body: html`${renderDestinationFrame(language, destination, title)}${renderPixelImages(pixelUrls)}`,
  })
}

/**
 * Renders the destination's frame with a hidden heading. The sandbox only prevents the destination
 * from navigating the entire window without a user gesture. It is safe to allow both scripts and
 * same-origin, because a destination is never on our own hosts.
 */
export function renderDestinationFrame(
  language: Language,
  destination: string,
  title: string,
): SafeHtml {
  const host = html`<bdi>${hostOf(destination)}</bdi>`
  return html`<h1 class="hidden-text">${title}</h1>
<a class="button skip" href="${safeHref(destination)}"><span>${visitorHtml(language, 'destination.openDirectly', { host })}</span></a>
<iframe src="${safeHref(destination)}" title="${title}" allow="fullscreen" sandbox="allow-downloads allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox allow-same-origin allow-scripts allow-top-navigation-by-user-activation"></iframe>`
}

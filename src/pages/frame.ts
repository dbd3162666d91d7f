import { html, type SafeHtml } from '@remix-run/html-template'
import { beaconImages } from './beacons.ts'
import type { CspExtras } from './csp.ts'
import { fillHtml } from './fill.ts'
import type { Language, PageContext } from './language.ts'
import { page } from './layout.ts'
import { destinationMessages } from './messages/destination.ts'
import { type Meta, metaTags } from './meta.ts'
import { hostOf, safeHref } from './safe-url.ts'

export type FramePage = PageContext & {
  target: string
  meta?: Meta
  beacons?: readonly string[]
}

/**
 * Any site may be framed, not only the target's: `frame-src` is checked again on each redirect and
 * each link followed inside the frame, so the target's origin alone breaks `example.com` that
 * redirects to `www.example.com`.
 */
export const framePolicy: CspExtras = { frameSrc: ['https:', 'http:'] }

/**
 * The target, filling the window under the short URL. Needs `framePolicy`. Browsers leave the
 * frame empty when the target forbids framing, or is plain http while the short URL is https; a
 * link to open it directly is the first stop of the keyboard.
 */
export function framePage({ nonce, language, target, meta = {}, beacons = [] }: FramePage): string {
  const title = meta.title || hostOf(target)
  return page({
    title,
    nonce,
    language,
    width: 'bleed',
    head: metaTags({ ...meta, title }),
    body: html`${targetFrame(language, target, title)}${beaconImages(beacons)}`,
  })
}

/**
 * The target as a full frame under the page's hidden heading. The sandbox takes one thing from the
 * target: leading the whole window elsewhere without a click of the visitor. Scripts together with
 * the own origin are safe only because a target is never on our own hosts.
 */
export function targetFrame(language: Language, target: string, title: string): SafeHtml {
  const host = html`<bdi>${hostOf(target)}</bdi>`
  return html`<h1 class="hidden-text">${title}</h1>
<a class="button skip" href="${safeHref(target)}"><span>${fillHtml(destinationMessages[language].openDirectly, { host })}</span></a>
<iframe src="${safeHref(target)}" title="${title}" allow="fullscreen" sandbox="allow-downloads allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox allow-same-origin allow-scripts allow-top-navigation-by-user-activation"></iframe>`
}

import { html, type SafeHtml } from '@remix-run/html-template'
import { continueLink } from './continue-link.ts'
import { type CspExtras, originsOf } from './csp.ts'
import { page } from './layout.ts'
import { refreshTag } from './meta.ts'
import { hostOf, safeHref } from './safe-url.ts'
import { hostMark } from './short-link-text.ts'
import type { PageContext } from './texts.ts'
import { visitorHtml, visitorText } from './texts.ts'

export type PixelsPage = PageContext & {
  destination: string
  /** The URLs of pixels. URLs that are not http or https are skipped. */
  pixelUrls: readonly string[]
}

/**
 * Returns the policy that `pixelsPage` needs: the origins of the pixels. If a pixel redirects to
 * another origin, the browser blocks the redirect, but it has already requested the pixel itself.
 */
export function pixelsPolicy({ pixelUrls }: Pick<PixelsPage, 'pixelUrls'>): CspExtras {
  return allowPixelImages({}, pixelUrls)
}

/**
 * Renders the page of a direct link with tracking pixels. It loads the pixels and redirects once
 * they have loaded or failed, or after 1.5 s if scripts run. Neither the pixels nor the
 * destination receive the short URL. Needs `pixelsPolicy`.
 */
export function pixelsPage({ nonce, language, destination, pixelUrls }: PixelsPage): string {
  const host = hostOf(destination)
  return page({
    title: visitorText(language, 'destination.redirecting', { host }),
    nonce,
    language,
    head: html`<meta name="referrer" content="no-referrer">
${refreshTag(destination)}`,
    body: html`<h1>${visitorHtml(language, 'destination.redirecting', { host: hostMark(host) })}</h1>
<p class="soft">${visitorText(language, 'destination.notRedirected')}</p>
${continueLink(language, destination)}
${renderPixelImages(pixelUrls)}
<script nonce="${nonce}">
setTimeout(() => location.replace(document.getElementById('onward').href), 1500)
</script>`,
  })
}

/**
 * Renders the invisible images that report a visit to pixel vendors. Skips URLs that are not http or
 * https. The page's policy needs `allowPixelImages`.
 */
export function renderPixelImages(pixelUrls: readonly string[]): SafeHtml[] {
  return pixelUrls
    .map(safeHref)
    .filter((href) => href !== '#')
    .map((href) => html`<img class="beacon" src="${href}" alt="" width="1" height="1">`)
}

/** Adds the origins of pixels to a page's policy. Browsers block redirects to other origins. */
export function allowPixelImages(policy: CspExtras, pixelUrls: readonly string[]): CspExtras {
  return { ...policy, imgSrc: [...(policy.imgSrc ?? []), ...originsOf(pixelUrls)] }
}

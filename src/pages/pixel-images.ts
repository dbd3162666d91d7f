import { html, type SafeHtml } from '@remix-run/html-template'
import { type CspExtras, originsOf } from './csp.ts'
import { safeHref } from './safe-url.ts'

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

import { html, type SafeHtml } from '@remix-run/html-template'
import { type CspExtras, originsOf } from './csp.ts'
import { safeHref } from './safe-url.ts'

/**
 * Renders the image beacons that report a visit to pixel vendors. Skips URLs that are not http or
 * https. The page needs `beaconPolicy`.
 */
export function beaconImages(beacons: readonly string[]): SafeHtml[] {
  return beacons
    .map(safeHref)
    .filter((href) => href !== '#')
    .map((href) => html`<img class="beacon" src="${href}" alt="" width="1" height="1">`)
}

/** Adds the beacons' origins to a page's policy. Redirects to other origins are not followed. */
export function beaconPolicy(policy: CspExtras, beacons: readonly string[]): CspExtras {
  return { ...policy, imgSrc: [...(policy.imgSrc ?? []), ...originsOf(beacons)] }
}

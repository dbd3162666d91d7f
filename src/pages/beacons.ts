import { html, type SafeHtml } from '@remix-run/html-template'
import { type CspExtras, originsOf } from './csp.ts'
import { safeHref } from './safe-url.ts'

/**
 * The images that tell the operator's vendors of a visit. What is not an http or https URL is left
 * out. The page needs `beaconPolicy`.
 */
export function beaconImages(beacons: readonly string[]): SafeHtml[] {
  return beacons
    .map(safeHref)
    .filter((href) => href !== '#')
    .map((href) => html`<img class="beacon" src="${href}" alt="" width="1" height="1">`)
}

/** A page's policy that also allows the beacons' origins; where one redirects to, it goes no further. */
export function beaconPolicy(policy: CspExtras, beacons: readonly string[]): CspExtras {
  return { ...policy, imgSrc: [...(policy.imgSrc ?? []), ...originsOf(beacons)] }
}

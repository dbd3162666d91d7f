import { html } from '@remix-run/html-template'
import { beaconImages, beaconPolicy } from './beacons.ts'
import type { CspExtras } from './csp.ts'
import { page } from './layout.ts'
import { refresh } from './meta.ts'
import { hostOf, safeHref } from './safe-url.ts'

export type PixelsPage = {
  nonce: string
  target: string
  /** The URLs of the image beacons to fire; what is not an http or https URL is left out. */
  beacons: readonly string[]
}

/**
 * What `pixelsPage` needs beyond the common policy: the beacons' origins. A beacon that redirects
 * to yet another origin has fired by then, and goes no further.
 */
export function pixelsPolicy({ beacons }: Pick<PixelsPage, 'beacons'>): CspExtras {
  return beaconPolicy({}, beacons)
}

/**
 * A direct link with tracking pixels: fires the beacons and goes on once they have loaded or
 * failed, with scripts after 1.5 s at the latest. Neither a beacon nor the target learns the short
 * URL. Needs `pixelsPolicy`.
 */
export function pixelsPage({ nonce, target, beacons }: PixelsPage): string {
  const host = hostOf(target)
  return page({
    title: `On the way to ${host}`,
    nonce,
    head: html`<meta name="referrer" content="no-referrer">
${refresh(target)}`,
    body: html`<h1>On the way to <span class="host">${host}</span></h1>
<p class="soft">This takes a moment. If nothing happens, please go on by yourself.</p>
<p class="actions"><a class="button full" id="onward" href="${safeHref(target)}">Continue to ${host}</a></p>
${beaconImages(beacons)}
<script nonce="${nonce}">
setTimeout(() => location.replace(document.getElementById('onward').href), 1500)
</script>`,
  })
}

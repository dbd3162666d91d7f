import { html } from '@remix-run/html-template'
import { beaconImages, beaconPolicy } from './beacons.ts'
import { continueLink } from './continue-link.ts'
import type { CspExtras } from './csp.ts'
import { fill, fillHtml } from './fill.ts'
import { hostMark } from './host-mark.ts'
import type { PageContext } from './language.ts'
import { page } from './layout.ts'
import { destinationMessages } from './messages/destination.ts'
import { refresh } from './meta.ts'
import { hostOf } from './safe-url.ts'

export type PixelsPage = PageContext & {
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
export function pixelsPage({ nonce, language, target, beacons }: PixelsPage): string {
  const messages = destinationMessages[language]
  const host = hostOf(target)
  return page({
    title: fill(messages.redirecting, { host }),
    nonce,
    language,
    head: html`<meta name="referrer" content="no-referrer">
${refresh(target)}`,
    body: html`<h1>${fillHtml(messages.redirecting, { host: hostMark(host) })}</h1>
<p class="soft">${messages.notRedirected}</p>
${continueLink(language, target)}
${beaconImages(beacons)}
<script nonce="${nonce}">
setTimeout(() => location.replace(document.getElementById('onward').href), 1500)
</script>`,
  })
}

import { html } from '@remix-run/html-template'
import { beaconImages, beaconPolicy } from './beacons.ts'
import { continueLink } from './continue-link.ts'
import type { CspExtras } from './csp.ts'
import { fill, fillHtml } from './fill.ts'
import { hostMark } from './host-mark.ts'
import type { PageContext } from './language.ts'
import { page } from './layout.ts'
import { destinationMessages } from './messages/destination.ts'
import { refreshTag } from './meta.ts'
import { hostOf } from './safe-url.ts'

export type PixelsPage = PageContext & {
  target: string
  /** The URLs of image beacons. URLs that are not http or https are skipped. */
  beacons: readonly string[]
}

/**
 * Returns the policy that `pixelsPage` needs: the origins of the beacons. If a beacon redirects to
 * another origin, the browser blocks the redirect, but it has already requested the beacon itself.
 */
export function pixelsPolicy({ beacons }: Pick<PixelsPage, 'beacons'>): CspExtras {
  return beaconPolicy({}, beacons)
}

/**
 * Renders the page of a direct link with tracking pixels. It loads the beacons and redirects once
 * they have loaded or failed, or after 1.5 s if scripts run. Neither the beacons nor the
 * destination receive the short URL. Needs `pixelsPolicy`.
 */
export function pixelsPage({ nonce, language, target, beacons }: PixelsPage): string {
  const messages = destinationMessages[language]
  const host = hostOf(target)
  return page({
    title: fill(messages.redirecting, { host }),
    nonce,
    language,
    head: html`<meta name="referrer" content="no-referrer">
${refreshTag(target)}`,
    body: html`<h1>${fillHtml(messages.redirecting, { host: hostMark(host) })}</h1>
<p class="soft">${messages.notRedirected}</p>
${continueLink(language, target)}
${beaconImages(beacons)}
<script nonce="${nonce}">
setTimeout(() => location.replace(document.getElementById('onward').href), 1500)
</script>`,
  })
}

import { html, type SafeHtml } from '@remix-run/html-template'

/** Addresses that are shown whole, or nearly; of the others the host is enough to judge by. */
const MOST_ADDRESSES = 5
const LONGEST = 300

/** Terms of a list that say where visitors of a link may be led, and all hosts where these are several. */
export function leadsTo(targets: readonly string[], hosts: readonly string[]): SafeHtml {
  const [own = '', ...others] = targets
  return html`<dt>Destination</dt><dd class="address">${shortened(own)}</dd>
${destinationList('Other destinations', others)}
${hosts.length > 1 ? html`<dt>Hosts (${hosts.length})</dt><dd class="address">${hosts.join(', ')}</dd>` : null}`
}

/** A term with destinations; nothing without any. */
export function destinationList(term: string, destinations: readonly string[]): SafeHtml | null {
  if (destinations.length === 0) return null
  const left = destinations.length - MOST_ADDRESSES
  return html`<dt>${term}</dt>${destinations
    .slice(0, MOST_ADDRESSES)
    .map(
      (destination) => html`<dd class="address">${shortened(destination)}</dd>`,
    )}${left > 0 ? html`<dd>${left} more</dd>` : null}`
}

function shortened(url: string): string {
  return url.length > LONGEST ? `${url.slice(0, LONGEST)}…` : url
}

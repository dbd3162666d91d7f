import { html, type SafeHtml } from '@remix-run/html-template'
import type { BrandedDomain } from '../../../domains/branded-domain.ts'
import { isStale } from '../../../domains/dns-state.ts'
import { formatMoment } from '../shell/format-day.ts'
import { domainMessages as messages } from './messages.ts'

/** The styles and the script of the DNS state. */
export const stateFiles = ['domain.css', 'domain-states.js'] as const

type CheckedDomain = Pick<BrandedDomain, 'dnsState' | 'dnsCheckedAt'>

/** Returns the texts of a domain's last known state. */
export function describeState({ dnsState, dnsCheckedAt }: CheckedDomain, zone: string) {
  return {
    state: dnsState ?? 'unknown',
    text: messages.states[dnsState ?? 'unknown'],
    time: dnsCheckedAt ? messages.checkedAt(formatMoment(dnsCheckedAt, zone)) : '',
  }
}

/** Renders the last known state of a domain. The script refreshes a stale state. */
export function renderDomainState(domain: BrandedDomain, zone: string, now: Date): SafeHtml {
  const { state, text, time } = describeState(domain, zone)
  const { id } = domain
  return html`<span class="dns-state" data-state="${state}"${
    isStale(domain, now)
      ? html` data-check="/console/domains/${id}/state" data-text-checking="${messages.states.checking}"`
      : null
  }><span class="dns-text">${text}</span> <span class="dns-time small soft">${time}</span></span>`
}

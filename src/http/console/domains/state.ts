import { html, type SafeHtml } from '@remix-run/html-template'
import type { BrandedDomain } from '../../../domains/branded-domain.ts'
import { isStale } from '../../../domains/dns-state.ts'
import { t } from '../../../texts.ts'
import { formatMoment } from '../shell/format-day.ts'

type CheckedDomain = Pick<BrandedDomain, 'dnsState' | 'dnsCheckedAt'>

/** Returns a domain's last known state, its text, and the text with the time of the check. */
export function describeState({ dnsState, dnsCheckedAt }: CheckedDomain, timeZone: string) {
  return {
    state: dnsState ?? 'unknown',
    text: t(`domain.states.${dnsState ?? 'unknown'}`),
    time: dnsCheckedAt ? t('domain.checkedAt', { when: formatMoment(dnsCheckedAt, timeZone) }) : '',
  }
}

/** Renders the last known state of a domain. A script checks a domain with a stale state. */
export function renderDomainState(domain: BrandedDomain, timeZone: string, now: Date): SafeHtml {
  const { state, text, time } = describeState(domain, timeZone)
  const { id } = domain
  return html`<span class="dns-state" data-state="${state}"${
    isStale(domain, now)
      ? html` data-check="/console/domains/${id}/state" data-text-checking="${t('domain.states.checking')}"`
      : null
  }><span class="dns-text">${text}</span> <span class="dns-time small soft">${time}</span></span>`
}

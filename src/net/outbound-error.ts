/**
 * The reasons why an outbound request failed. Each text continues a sentence that begins with the
 * name of a field (`logo …`). The texts contain nothing from the response, and the text for an
 * unknown name is the same as for a name with a private address. Otherwise users could explore the
 * operator's network.
 */
const reasons = {
  refused_url: 'must be an http or https URL without user name, on port 80, 443 or above 1023',
  unreachable: 'could not be reached at a public address',
  timeout: 'did not respond in time',
  too_large: 'is too large',
  too_many_redirects: 'redirects too often',
  bad_response: 'sent an invalid response',
} as const

export type OutboundReason = keyof typeof reasons

export const OUTBOUND_REASONS = Object.keys(reasons) as OutboundReason[]

/** The failure of a guarded fetch. `cause` is for logs only. */
export class OutboundError extends Error {
  readonly reason: OutboundReason

  constructor(reason: OutboundReason, options?: ErrorOptions) {
    super(reasons[reason], options)
    this.name = 'OutboundError'
    this.reason = reason
  }
}

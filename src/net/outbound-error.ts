/**
 * The reasons of failed outbound requests. Each text continues a sentence that begins with the
 * field's name (`logo …`). It contains nothing of the response, and an unknown name reads like one
 * that resolves to a private address: either would let users explore the operator's network.
 */
const reasons = {
  refused_url: 'must be an http or https URL without user name, on port 80, 443 or above 1023',
  unreachable: 'could not be reached at a public address',
  timeout: 'did not answer in time',
  too_large: 'is too large',
  too_many_redirects: 'redirects too often',
  bad_response: 'gave an answer that is not valid',
} as const

export type OutboundReason = keyof typeof reasons

/** The failure of a guarded fetch. `cause` is for logs only. */
export class OutboundError extends Error {
  readonly reason: OutboundReason

  constructor(reason: OutboundReason, options?: ErrorOptions) {
    super(reasons[reason], options)
    this.name = 'OutboundError'
    this.reason = reason
  }
}

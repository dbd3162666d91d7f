import { formatProblem } from '../errors.ts'

/**
 * The reasons why an outbound request failed. Their texts are `problems.outbound_<reason>`, which
 * continue a sentence that begins with the name of a field (`logo …`). The texts contain nothing
 * from the response, and the text for an unknown name is the same as for a name with a private
 * address. Otherwise users could explore the operator's network.
 */
export const OUTBOUND_REASONS = [
  'refused_url',
  'unreachable',
  'timeout',
  'too_large',
  'too_many_redirects',
  'bad_response',
] as const

export type OutboundReason = (typeof OUTBOUND_REASONS)[number]

/** The failure of a guarded fetch. `cause` is for logs only. */
export class OutboundError extends Error {
  readonly reason: OutboundReason

  constructor(reason: OutboundReason, options?: ErrorOptions) {
    super(formatProblem({ key: `problems.outbound_${reason}` }, 'en'), options)
    this.name = 'OutboundError'
    this.reason = reason
  }
}

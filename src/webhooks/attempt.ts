import type { Updateable } from 'kysely'
import type { WebhookDeliveryTable, WebhookEndpointTable } from '../db/schema/webhooks.ts'
import type { Claimed } from './delivery.queries.ts'
import { pauseAfter, requestedDelay, retryDelay } from './retry.ts'

/** The result of an attempt: a status, or the problem that prevented a response. */
export type Result = { status: number; retryAfter: string } | { problem: string }

/** How the message and its endpoint change after an attempt. */
export type Outcome = {
  delivery: Updateable<WebhookDeliveryTable>
  endpoint: Updateable<WebhookEndpointTable>
}

const HTTP_GONE = 410
/** Status codes that ask the sender to slow down. */
const SLOW_DOWN_STATUSES: readonly number[] = [429, 502, 503, 504]
/** Milliseconds of uninterrupted failures after which an endpoint is disabled. */
const DISABLE_AFTER_MS = 5 * 86_400_000

/**
 * Evaluates an attempt according to Standard Webhooks 1.0. 2xx is a success, and everything else is
 * a failure. 410 disables the endpoint. `retry-after` is respected. `random` is between 0 and 1.
 */
export function evaluateAttempt(
  { attempts, failures, failing_since }: Pick<Claimed, 'attempts' | 'failures' | 'failing_since'>,
  result: Result & { isSlow: boolean },
  now: Date,
  random: number,
): Outcome {
  const status = 'status' in result ? result.status : null
  const attempt = { attempted_at: now, slow: result.isSlow }
  if (status !== null && status >= 200 && status < 300) {
    return {
      delivery: { state: 'delivered', status, problem: null },
      endpoint: { ...attempt, failures: 0, failing_since: null, paused_until: null },
    }
  }
  const wish =
    'status' in result && SLOW_DOWN_STATUSES.includes(result.status)
      ? requestedDelay(result.retryAfter, now)
      : 0
  const delay = retryDelay(attempts, random)
  const isGone = status === HTTP_GONE
  const since = failing_since ?? now
  const isHopeless = now.getTime() - since.getTime() >= DISABLE_AFTER_MS
  const ends = isGone || delay === undefined
  return {
    delivery: {
      status,
      problem: 'problem' in result ? result.problem : null,
      ...(ends ? { state: 'failed' } : { next_at: later(now, Math.max(delay, wish)) }),
    },
    endpoint: {
      ...attempt,
      failures: failures + 1,
      failing_since: since,
      paused_until: later(now, Math.max(pauseAfter(failures + 1), wish)),
      ...((isGone || isHopeless) && {
        disabled_at: now,
        disabled_by: isGone ? 'gone' : 'failures',
      }),
    },
  }
}

function later(now: Date, delay: number): Date {
  return new Date(now.getTime() + delay)
}

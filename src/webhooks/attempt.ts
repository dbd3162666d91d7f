import type { Updateable } from 'kysely'
import type { WebhookDeliveries, WebhookEndpoints } from '../db/tables.generated.ts'
import type { ClaimedDelivery } from './delivery.queries.ts'
import { getPause, getRetryDelay, parseRetryAfter } from './retry.ts'

/** The result of an attempt: a status, or the problem that prevented a response. */
export type AttemptResult = { status: number; retryAfter: string } | { problem: string }

/** The changes of the message and its endpoint after an attempt. */
export type Outcome = {
  delivery: Updateable<WebhookDeliveries>
  endpoint: Updateable<WebhookEndpoints>
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
  {
    attempts,
    failures,
    failing_since,
  }: Pick<ClaimedDelivery, 'attempts' | 'failures' | 'failing_since'>,
  result: AttemptResult & { isSlow: boolean },
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
  const requestedMs =
    'status' in result && SLOW_DOWN_STATUSES.includes(result.status)
      ? parseRetryAfter(result.retryAfter, now)
      : 0
  const delayMs = getRetryDelay(attempts, random)
  const isGone = status === HTTP_GONE
  const since = failing_since ?? now
  const hasFailedTooLong = now.getTime() - since.getTime() >= DISABLE_AFTER_MS
  const isFinal = isGone || delayMs === undefined
  return {
    delivery: {
      status,
      problem: 'problem' in result ? result.problem : null,
      ...(isFinal ? { state: 'failed' } : { next_at: addMs(now, Math.max(delayMs, requestedMs)) }),
    },
    endpoint: {
      ...attempt,
      failures: failures + 1,
      failing_since: since,
      paused_until: addMs(now, Math.max(getPause(failures + 1), requestedMs)),
      ...((isGone || hasFailedTooLong) && {
        disabled_at: now,
        disabled_by: isGone ? 'gone' : 'failures',
      }),
    },
  }
}

function addMs(now: Date, delayMs: number): Date {
  return new Date(now.getTime() + delayMs)
}

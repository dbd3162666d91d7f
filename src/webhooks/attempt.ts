import type { Updateable } from 'kysely'
import type { WebhookDeliveryTable, WebhookEndpointTable } from '../db/schema/webhooks.ts'
import type { Claimed } from './delivery.queries.ts'
import { pauseAfter, retryDelay, wishedDelay } from './retry.ts'

/** The result of an attempt: a status, or the problem that prevented one. */
export type Result = { status: number; retryAfter: string } | { problem: string }

/** The changes of the message and its endpoint after an attempt. */
export type Outcome = {
  delivery: Updateable<WebhookDeliveryTable>
  endpoint: Updateable<WebhookEndpointTable>
}

const HTTP_GONE = 410
/** Statuses that ask the sender to slow down. */
const SLOW_DOWN_STATUSES: readonly number[] = [429, 502, 503, 504]
/** Milliseconds of continuous failures after which an endpoint is disabled. */
const DISABLE_AFTER_MS = 5 * 86_400_000

/**
 * Evaluates an attempt according to Standard Webhooks 1.0: 2xx is success, everything else failure,
 * 410 disables the endpoint, and `retry-after` is respected. `random` is from 0 to 1.
 */
export function judge(
  { attempts, failures, failing_since }: Pick<Claimed, 'attempts' | 'failures' | 'failing_since'>,
  answer: Result & { isSlow: boolean },
  now: Date,
  random: number,
): Outcome {
  const status = 'status' in answer ? answer.status : null
  const attempt = { attempted_at: now, slow: answer.isSlow }
  if (status !== null && status >= 200 && status < 300) {
    return {
      delivery: { state: 'delivered', status, problem: null },
      endpoint: { ...attempt, failures: 0, failing_since: null, paused_until: null },
    }
  }
  const wish =
    'status' in answer && SLOW_DOWN_STATUSES.includes(answer.status)
      ? wishedDelay(answer.retryAfter, now)
      : 0
  const delay = retryDelay(attempts, random)
  const isGone = status === HTTP_GONE
  const since = failing_since ?? now
  const isHopeless = now.getTime() - since.getTime() >= DISABLE_AFTER_MS
  const ends = isGone || delay === undefined
  return {
    delivery: {
      status,
      problem: 'problem' in answer ? answer.problem : null,
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

import { wishedDelay } from '../../webhooks/retry.ts'

/** The reasons why a destination does not work. */
export const PROBLEMS = [
  'not_found',
  'server_error',
  'unreachable',
  'timeout',
  'too_many_redirects',
  'bad_response',
] as const

export type Problem = (typeof PROBLEMS)[number]

/** The result of a check. `later` means that the server requested another check. */
export type Verdict =
  | { kind: 'works' }
  | { kind: 'fails'; problem: Problem }
  | { kind: 'later'; delayMs: number; problem: Problem | undefined }

export type ProbeReply = { status: number; retryAfter: string }

/** Milliseconds to wait if the server does not specify it. */
const DEFAULT_RETRY_MS = 3_600_000
const MIN_LATER_MS = 60_000

/**
 * Evaluates a final response. If a server requires a login or rejects programs, the link works. If
 * it is overloaded (429) or announces when it is available (503), it is checked again; only 503 may
 * then count as a failure.
 */
export function evaluateReply({ status, retryAfter }: ProbeReply, now: Date): Verdict {
  if (status === 404 || status === 410) return { kind: 'fails', problem: 'not_found' }
  const isBack = status === 503 && retryAfter !== ''
  if (status === 429 || isBack) {
    const delayMs = Math.max(MIN_LATER_MS, wishedDelay(retryAfter, now) || DEFAULT_RETRY_MS)
    return { kind: 'later', delayMs, problem: isBack ? 'server_error' : undefined }
  }
  if (status >= 500) return { kind: 'fails', problem: 'server_error' }
  return { kind: 'works' }
}

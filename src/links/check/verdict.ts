import { parseRetryAfter } from '../../webhooks/retry.ts'

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

/** The result of a check. `later` means that the server asked to be checked again later. */
export type Verdict =
  | { kind: 'works' }
  | { kind: 'fails'; problem: Problem }
  | { kind: 'later'; delayMs: number; problem: Problem | undefined }

export type ProbeResponse = { status: number; retryAfter: string }

/** Milliseconds to wait if the server does not say how long. */
const DEFAULT_RETRY_MS = 3_600_000
const MIN_LATER_MS = 60_000

/**
 * Evaluates a final response. A server that requires a login or rejects bots counts as working. A
 * server that is overloaded (429) or says when it will be available again (503) is checked later,
 * and only a repeated 503 counts as a failure.
 */
export function evaluateResponse({ status, retryAfter }: ProbeResponse, now: Date): Verdict {
  if (status === 404 || status === 410) return { kind: 'fails', problem: 'not_found' }
  const hasReturnTime = status === 503 && retryAfter !== ''
  if (status === 429 || hasReturnTime) {
    const delayMs = Math.max(MIN_LATER_MS, parseRetryAfter(retryAfter, now) || DEFAULT_RETRY_MS)
    return { kind: 'later', delayMs, problem: hasReturnTime ? 'server_error' : undefined }
  }
  if (status >= 500) return { kind: 'fails', problem: 'server_error' }
  return { kind: 'works' }
}

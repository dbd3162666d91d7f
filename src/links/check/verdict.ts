import { wishedDelay } from '../../webhooks/retry.ts'

/** Why a destination does not work. */
export const PROBLEMS = [
  'not_found',
  'server_error',
  'unreachable',
  'timeout',
  'too_many_redirects',
  'bad_response',
] as const

export type Problem = (typeof PROBLEMS)[number]

/** The result of a check. `later` says that the server asked to be checked again after a while. */
export type Verdict =
  | { kind: 'works' }
  | { kind: 'fails'; problem: Problem }
  | { kind: 'later'; delayMs: number; problem: Problem | undefined }

export type ProbeReply = { status: number; retryAfter: string }

/** How long to wait if the server does not say. */
const LATER_MS = 3_600_000
const MIN_LATER_MS = 60_000

/**
 * Returns what a final response says of a destination. A server that demands a login or rejects programs is
 * there, so the link works. A server that is busy now (429), or says when it is back (503), is asked again;
 * of these, only 503 may count as a failure then.
 */
export function judge({ status, retryAfter }: ProbeReply, now: Date): Verdict {
  if (status === 404 || status === 410) return { kind: 'fails', problem: 'not_found' }
  const isBack = status === 503 && retryAfter !== ''
  if (status === 429 || isBack) {
    const delayMs = Math.max(MIN_LATER_MS, wishedDelay(retryAfter, now) || LATER_MS)
    return { kind: 'later', delayMs, problem: isBack ? 'server_error' : undefined }
  }
  if (status >= 500) return { kind: 'fails', problem: 'server_error' }
  return { kind: 'works' }
}

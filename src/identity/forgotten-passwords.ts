import { createHash } from 'node:crypto'
import type { WebContext } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { DAILY_PREFIX } from '../db/rate-window.queries.ts'
import { AppError } from '../errors.ts'
import { addJob } from '../jobs/job-queue.queries.ts'
import { checkEmail } from './account.ts'
import { requirePasswordSignIn } from './password-sign-in.ts'

export const RESET_TASK = 'mail-password-reset'

/** With the backoff of the queue, the attempts span about half an hour. */
const MAX_ATTEMPTS = 8
/** The maximum number of requests per IP address, by the seconds of their window. */
const REQUESTS_PER_ADDRESS = [
  [60, 10],
  [3600, 20],
] as const

/**
 * Emails a reset link to the user with this email address, if there is one. The lookup is part of
 * the job, so the request does the same work for every email address. Neither the response nor its
 * timing reveals which ones exist.
 *
 * @throws AppError `password_sign_in_off`, `invalid_input` naming `email`, `rate_limited`, `busy`
 * if the queue is full
 */
export async function requestPasswordReset(
  ctx: WebContext,
  db: Db,
  { email: enteredEmail, address }: { email: string; address: string },
): Promise<void> {
  requirePasswordSignIn(ctx)
  const email = checkEmail(enteredEmail).toLowerCase()
  for (const [seconds, max] of REQUESTS_PER_ADDRESS) {
    const subject = `${DAILY_PREFIX}forgot-password:${seconds}:${ctx.hashAddress(address)}`
    const retryAfter = await ctx.rateLimiter.count(subject, max, seconds)
    if (retryAfter !== undefined) throw new AppError('rate_limited', { retryAfter })
  }
  const name = createHash('sha256').update(email).digest('base64url')
  const key = `${RESET_TASK}:${name}`
  const job = { task: RESET_TASK, payload: { email }, key, maxAttempts: MAX_ATTEMPTS }
  if (!(await addJob(db, job))) throw new AppError('busy')
}

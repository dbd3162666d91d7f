import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { addJob } from '../jobs/job-queue.queries.ts'
import { createUserPasswordReset } from './password-reset.service.ts'
import type { User } from './user.ts'

export const WELCOME_TASK = 'mail-welcome'

const VALID_MS = 7 * 86_400_000
/** With the backoff of the queue, the attempts span about fifteen hours. */
const MAX_ATTEMPTS = 12

/** The link for a new user, or undefined if it was sent by email. */
export type Welcome = { url: string | undefined }

/**
 * Invites a new user to choose a password. Emails a link if mail is configured, and otherwise
 * returns it.
 *
 * @throws AppError `account_suspended`, `busy`
 */
export async function welcomeUser(ctx: Context, tx: Tx, { id }: User): Promise<Welcome> {
  // Without passwords, the user signs in with the provider, which recognizes the email address.
  if (!ctx.config.passwordSignIn) return { url: `${ctx.config.baseUrl}/console/sign-in` }
  if (!ctx.config.mail) return { url: await createWelcomeLink(ctx, tx, id) }
  const key = `${WELCOME_TASK}:${id}`
  const job = { task: WELCOME_TASK, payload: { id }, key, maxAttempts: MAX_ATTEMPTS }
  if (!(await addJob(tx, job))) throw new AppError('busy')
  return { url: undefined }
}

/** Creates a link, valid for 7 days, with which a new user can set a password. */
export async function createWelcomeLink(
  ctx: Context,
  db: Db,
  userId: number,
  { mailed = false } = {},
): Promise<string> {
  const options = { mailed, validMs: VALID_MS }
  const { url } = await createUserPasswordReset(ctx, db, userId, options)
  return url
}

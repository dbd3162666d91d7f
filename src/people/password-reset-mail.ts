import type { Task } from 'graphile-worker'
import { createUserPasswordReset } from '../accounts/password-reset.service.ts'
import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { sendMail } from '../mail/mail-job.ts'
import { createResetLimit } from '../mail/mail-limits.ts'
import type { Mailer } from '../mail/mailer.ts'
import { findMailLanguage, writeMail } from './mail-language.ts'
import { findMemberships } from './member.queries.ts'
import { findUserByEmail } from './user.queries.ts'

/**
 * Creates the task that emails a reset link to the user with an email address, if there is one.
 * Each attempt creates a new link.
 */
export function createResetMailTask(ctx: Context, db: Db, mailer: Mailer): Task {
  return async (payload, helpers) => {
    const { email } = payload as { email: string }
    const user = await findUserByEmail(db, email)
    const memberships = user ? await findMemberships(db, user.id) : []
    const account = memberships.find(({ suspended }) => !suspended)
    if (!user || !account) return
    const limit = await createResetLimit(db, user.id)
    await sendMail(ctx, db, { mailer, limit, ...helpers }, async () => {
      const { url } = await createUserPasswordReset(ctx, db, user.id, { mailed: true })
      const language = await findMailLanguage(db, { email, accountId: account.accountId })
      const texts = writeMail(language, 'reset', { host: new URL(url).host, url })
      return { to: user.email, ...texts }
    })
  }
}

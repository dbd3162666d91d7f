import type { Task } from 'graphile-worker'
import { createUserPasswordReset } from '../accounts/password-reset.service.ts'
import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { sendMail } from '../mail/mail-job.ts'
import type { Mail, Mailer } from '../mail/mailer.ts'
import { findMemberships } from './member.queries.ts'
import { findUserByEmail } from './user.queries.ts'

/**
 * Creates the task that mails a reset link to the user with an address, if there is one. Each
 * attempt creates a new link, which replaces the previous one.
 */
export function createResetMailTask(ctx: Context, db: Db, mailer: Mailer): Task {
  return async (payload, helpers) => {
    const { email } = payload as { email: string }
    const user = await findUserByEmail(db, email)
    const memberships = user ? await findMemberships(db, user.id) : []
    const account = memberships.find(({ suspended }) => !suspended)
    if (!user || !account) return
    await sendMail(ctx, db, { mailer, accountId: account.accountId, ...helpers }, async () => {
      const { url } = await createUserPasswordReset(ctx, db, user.id)
      return resetMail({ to: user.email, host: new URL(url).host, url })
    })
  }
}

function resetMail({ to, host, url }: { to: string; host: string; url: string }): Mail {
  return {
    to,
    subject: `Reset your password for ${host}`,
    text: `Someone asked to reset the password of your account at ${host}.

To set a new password, open this link within an hour:
${url}

If you didn't ask for this, ignore this email. Your password stays the same.
`,
  }
}

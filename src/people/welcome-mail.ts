import type { Task } from 'graphile-worker'
import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { sendMail } from '../mail/mail-job.ts'
import type { Mail, Mailer } from '../mail/mailer.ts'
import { findMemberships } from './member.queries.ts'
import { findPasswordHash, findUser } from './user.queries.ts'
import { createWelcomeLink } from './welcome.service.ts'

/**
 * The task that mails the link of a user whom an admin created. Each attempt creates a link of its own,
 * which ends the one before. Users who have set a password need none.
 */
export function createWelcomeMailTask(ctx: Context, db: Db, mailer: Mailer): Task {
  return async (payload, helpers) => {
    const { id } = payload as { id: number }
    const user = await findUser(db, id)
    const account = (await findMemberships(db, id)).find(({ suspended }) => !suspended)
    if (!user || !account) return
    const { accountId, username } = account
    await sendMail(ctx, db, { mailer, accountId, mayWait: true, ...helpers }, async () => {
      if (await findPasswordHash(db, id)) return undefined
      const url = await createWelcomeLink(ctx, db, id)
      const { host } = new URL(ctx.config.baseUrl)
      return welcomeMail({ to: user.email, account: username, url, host })
    })
  }
}

type WelcomeText = { to: string; account: string; url: string; host: string }

function welcomeMail({ to, account, url, host }: WelcomeText): Mail {
  return {
    to,
    subject: `Your account on ${host}`,
    text: `An admin of ${host} added you to the account ${account}.

To set a password and sign in, open this link within 7 days:
${url}

If you weren't expecting this, ignore this email.
`,
  }
}

import type { Task } from 'graphile-worker'
import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { sendMail } from '../mail/mail-job.ts'
import { createAccountLimit } from '../mail/mail-limits.ts'
import type { Mailer } from '../mail/mailer.ts'
import { findMailLanguage, writeMail } from './mail-language.ts'
import { findMemberships } from './member.queries.ts'
import { findPasswordHash, findUser } from './user.queries.ts'
import { createWelcomeLink } from './welcome.service.ts'

/**
 * Creates the task that emails a link for setting a password to a user whom an admin created. Each
 * attempt creates a new link. Users who have set a password get no email.
 */
export function createWelcomeMailTask(ctx: Context, db: Db, mailer: Mailer): Task {
  return async (payload, helpers) => {
    const { id } = payload as { id: number }
    const user = await findUser(db, id)
    const account = (await findMemberships(db, id)).find(({ suspended }) => !suspended)
    if (!user || !account) return
    const { accountId, username } = account
    const limit = createAccountLimit(accountId, { isReserved: true })
    await sendMail(ctx, db, { mailer, limit, mayWait: true, ...helpers }, async () => {
      if (await findPasswordHash(db, id)) return undefined
      const url = await createWelcomeLink(ctx, db, id, { mailed: true })
      const { host } = new URL(ctx.config.baseUrl)
      const language = await findMailLanguage(db, { email: user.email, accountId })
      const texts = writeMail(language, 'welcome', { account: username, host, url })
      return { to: user.email, ...texts }
    })
  }
}

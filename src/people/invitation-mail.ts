import type { Task } from 'graphile-worker'
import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { sendMail } from '../mail/mail-job.ts'
import { createAccountLimit } from '../mail/mail-limits.ts'
import type { Mailer } from '../mail/mailer.ts'
import { findInvitationAccount, isNewAccount } from './invitation.queries.ts'
import { issueInvitationLink } from './invitation.service.ts'
import { findMailLanguage, writeMail } from './mail-language.ts'

/**
 * Creates the task that emails an invitation. Each attempt creates a new link, which replaces the
 * previous one.
 */
export function createInvitationMailTask(ctx: Context, db: Db, mailer: Mailer): Task {
  return async (payload, helpers) => {
    const { id } = payload as { id: number }
    const accountId = await findInvitationAccount(db, id)
    if (accountId === undefined) return
    const limit = createAccountLimit(accountId, {
      isReserved: !(await isNewAccount(db, accountId)),
    })
    await sendMail(ctx, db, { mailer, limit, mayWait: true, ...helpers }, async () => {
      const invitation = await issueInvitationLink(ctx, db, { id })
      if (!invitation) return undefined
      const { host } = new URL(ctx.config.baseUrl)
      const language = await findMailLanguage(db, invitation)
      const { account, email, role, url } = invitation
      return { to: email, ...writeMail(language, 'invitation', { account, role, host, url }) }
    })
  }
}

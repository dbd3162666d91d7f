import type { Task } from 'graphile-worker'
import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { sendMail } from '../mail/mail-job.ts'
import type { Mail, Mailer } from '../mail/mailer.ts'
import { findInvitationAccount } from './invitation.queries.ts'
import { issueInvitationLink } from './invitation.service.ts'

/**
 * Creates the task that mails an invitation. Each attempt creates a new link, which replaces the
 * previous one.
 */
export function createInvitationMailTask(ctx: Context, db: Db, mailer: Mailer): Task {
  return async (payload, helpers) => {
    const { id } = payload as { id: number }
    const accountId = await findInvitationAccount(db, id)
    if (accountId === undefined) return
    await sendMail(ctx, db, { mailer, accountId, mayWait: true, ...helpers }, async () => {
      const invitation = await issueInvitationLink(ctx, db, { id })
      return invitation && invitationMail({ ...invitation, host: new URL(ctx.config.baseUrl).host })
    })
  }
}

type InvitationText = { email: string; account: string; role: string; url: string; host: string }

function invitationMail({ email, account, role, url, host }: InvitationText): Mail {
  return {
    to: email,
    subject: `You're invited to ${account} on ${host}`,
    text: `You've been invited to work in the account ${account} on ${host} as ${role}.

To accept, open this link within 7 days:
${url}

If you weren't expecting this, ignore this email.
`,
  }
}

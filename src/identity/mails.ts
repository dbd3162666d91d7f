import type { Task } from 'graphile-worker'
import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { sendMail } from '../mail/mail-job.ts'
import { createAccountLimit, createResetLimit } from '../mail/mail-limits.ts'
import type { Mailer } from '../mail/mailer.ts'
import { nameInMails } from '../site-name.ts'
import { translate, type UserLanguage } from '../texts.ts'
import { findInvitationAccount, isNewAccount } from './invitation.queries.ts'
import { issueInvitationLink } from './invitation.service.ts'
import { listMemberships } from './member.service.ts'
import { createUserPasswordReset } from './password-reset.service.ts'
import {
  findOwner,
  findPasswordHash,
  findUser,
  findUserByEmail,
  findUserLanguage,
} from './user.queries.ts'
import { readLanguage } from './user.ts'
import { createWelcomeLink } from './welcome.service.ts'

/**
 * Returns the language for emails to an email address: that of its user or, if there is no such
 * user, of the account's owner.
 */
async function findMailLanguage(
  db: Db,
  { email, accountId }: { email: string; accountId: number },
): Promise<UserLanguage> {
  const stored = await findUserLanguage(db, email)
  if (stored !== undefined) return readLanguage(stored)
  const owner = await findOwner({ db, accountId })
  return readLanguage((owner && (await findUserLanguage(db, owner.email))) ?? '')
}

/** Returns the subject and the text of an email about signing in. */
function writeMail(
  language: UserLanguage,
  name: 'reset' | 'invitation' | 'welcome',
  values: Readonly<Record<string, string>>,
): { subject: string; text: string } {
  return {
    subject: translate(language, `mail.${name}.subject`, values),
    text: translate(language, `mail.${name}.text`, values),
  }
}

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
      isReserved: !(await isNewAccount({ db, accountId })),
    })
    await sendMail(ctx, db, { mailer, limit, mayWait: true, ...helpers }, async () => {
      const invitation = await issueInvitationLink(ctx, db, { id })
      if (!invitation) return undefined
      const { host } = new URL(ctx.config.baseUrl)
      const name = nameInMails(ctx.config)
      const language = await findMailLanguage(db, invitation)
      const { account, email, role, url } = invitation
      return { to: email, ...writeMail(language, 'invitation', { account, role, host, name, url }) }
    })
  }
}

/**
 * Creates the task that emails a reset link to the user with an email address, if there is one.
 * Each attempt creates a new link.
 */
export function createResetMailTask(ctx: Context, db: Db, mailer: Mailer): Task {
  return async (payload, helpers) => {
    const { email } = payload as { email: string }
    const user = await findUserByEmail(db, email)
    const memberships = user ? await listMemberships(db, user.id) : []
    const account = memberships.find(({ suspended }) => !suspended)
    if (!user || !account) return
    const limit = await createResetLimit(db, user.id)
    await sendMail(ctx, db, { mailer, limit, ...helpers }, async () => {
      const { url } = await createUserPasswordReset(ctx, db, user.id, { mailed: true })
      const language = await findMailLanguage(db, { email, accountId: account.accountId })
      const name = nameInMails(ctx.config)
      const texts = writeMail(language, 'reset', { host: new URL(url).host, name, url })
      return { to: user.email, ...texts }
    })
  }
}

/**
 * Creates the task that emails a link for setting a password to a user whom an admin created. Each
 * attempt creates a new link. Users who have set a password get no email.
 */
export function createWelcomeMailTask(ctx: Context, db: Db, mailer: Mailer): Task {
  return async (payload, helpers) => {
    const { id } = payload as { id: number }
    const user = await findUser(db, id)
    const account = (await listMemberships(db, id)).find(({ suspended }) => !suspended)
    if (!user || !account) return
    const { accountId, username } = account
    const limit = createAccountLimit(accountId, { isReserved: true })
    await sendMail(ctx, db, { mailer, limit, mayWait: true, ...helpers }, async () => {
      if (await findPasswordHash(db, id)) return undefined
      const url = await createWelcomeLink(ctx, db, id, { mailed: true })
      const { host } = new URL(ctx.config.baseUrl)
      const language = await findMailLanguage(db, { email: user.email, accountId })
      const texts = writeMail(language, 'welcome', {
        account: username,
        host,
        name: nameInMails(ctx.config),
        url,
      })
      return { to: user.email, ...texts }
    })
  }
}

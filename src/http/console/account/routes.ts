import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { deleteOwnAccount } from '../../../accounts/account-deletion.ts'
import { endOtherSessions, endOwnSession, listSessions } from '../../../accounts/session.service.ts'
import { getStorageUsage } from '../../../accounts/storage.ts'
import type { HttpContext } from '../../../context.ts'
import { type AppError, invalid } from '../../../errors.ts'
import { deleteUser, listMembers, removeMember } from '../../../people/member.service.ts'
import { updateUser } from '../../../people/user.service.ts'
import { findText } from '../../../texts.ts'
import { createErrorHeaders, toAppError } from '../../errors.ts'
import { pageRoute } from '../../html/page-route.ts'
import { clearSessionCookie } from '../../html/session-cookie.ts'
import { parsePathId } from '../../request/path-id.ts'
import { describeFormError } from '../errors/labeled-error.ts'
import { confirmPassword } from '../kit/confirmation.ts'
import { formFor, pageFor } from '../kit/roles.ts'
import { formatMoment } from '../shell/format-day.ts'
import { readFields, sendConsolePage, sendSignedOutPage } from '../shell/send.ts'
import { setToast } from '../shell/toast.ts'
import { renderDeletedPage } from './deleted-page.ts'
import { type AccountForm, renderAccountPage } from './page.ts'

type PageRequest = FastifyRequest<{ Querystring: { done?: unknown } }>
type SessionRequest = FastifyRequest<{ Params: { id: string } }>

const PAGE = '/console/account'

/**
 * Registers the page of the user's account and its forms: changing the email and the password, ending
 * sessions, leaving the account, and deleting the user or the account.
 */
export function registerAccountRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { config } = ctx

  app.route({
    ...pageFor('viewer'),
    url: '/account',
    handler: async ({ query }: PageRequest, reply) =>
      sendAccount(reply, {
        done: findText('account.done', readFields(query, ['done']).done),
      }),
  })

  app.post('/account/email', formFor('viewer'), async (request, reply) => {
    const { email, yourPassword } = readFields(request.body, ['email', 'yourPassword'])
    return attempt(reply, { email }, { currentPassword: 'yourPassword' }, async () => {
      await confirmPassword(ctx, request, yourPassword)
      const { user } = request.session
      const updated = await updateUser(ctx, ctx.db, user.id, { email })
      return `${PAGE}?done=${updated.email === user.email ? 'nothing' : 'email'}`
    })
  })

  app.post('/account/password', formFor('viewer'), async (request, reply) => {
    const { currentPassword, newPassword } = readFields(request.body, [
      'currentPassword',
      'newPassword',
    ])
    return attempt(reply, {}, { password: 'newPassword' }, async () => {
      const { user, id } = request.session
      await confirmPassword(ctx, request, currentPassword)
      if (newPassword === currentPassword) {
        throw invalid('password', 'different_from_current')
      }
      await updateUser(ctx, ctx.db, user.id, { password: newPassword }, id)
      return `${PAGE}?done=password`
    })
  })

  app.post(
    '/account/sessions/:id/end',
    formFor('viewer'),
    async (request: SessionRequest, reply) => {
      await endOwnSession(ctx.db, request.session.user.id, parsePathId(request.params.id))
      setToast(reply, 'sessionEnded')
      return reply.redirect(PAGE, 303)
    },
  )

  app.post('/account/sessions/end-others', formFor('viewer'), async ({ session }, reply) => {
    await endOtherSessions(ctx.db, session.user.id, session.id)
    setToast(reply, 'sessionEnded')
    return reply.redirect(PAGE, 303)
  })

  app.post('/account/leave', formFor('viewer'), async (request, reply) =>
    attempt(reply, {}, {}, async () => {
      const { account, user } = request.session
      await removeMember(ctx.db, account.id, user.id)
      clearSessionCookie(config, reply)
      return '/console/sign-in'
    }),
  )

  app.post('/account/delete-user', formFor('viewer'), async (request, reply) => {
    const { userPassword } = readFields(request.body, ['userPassword'])
    return attempt(reply, {}, { currentPassword: 'userPassword' }, async () => {
      await confirmPassword(ctx, request, userPassword)
      await deleteUser(ctx.db, request.session.user.id)
      clearSessionCookie(config, reply)
      return '/console/sign-in'
    })
  })

  app.post('/account/delete', formFor('owner'), async (request, reply) => {
    const { account } = request.session
    const { username, deletionPassword } = readFields(request.body, [
      'username',
      'deletionPassword',
    ])
    const fieldNames = { currentPassword: 'deletionPassword' }
    return attempt(reply, { username }, fieldNames, async () => {
      if (username.trim() !== account.username) {
        throw invalid('username', 'name_of_account')
      }
      await confirmPassword(ctx, request, deletionPassword)
      await deleteOwnAccount(ctx, ctx.db, account.id)
      clearSessionCookie(config, reply)
      return '/console/deleted'
    })
  })

  /**
   * Runs the action of a form and redirects to the path that it returns, or shows the page again with
   * the error at its field, if it has one. `fieldNames` maps the fields of errors to fields of the
   * form where the names differ.
   */
  async function attempt(
    reply: FastifyReply,
    input: AccountForm['input'],
    fieldNames: Readonly<Record<string, string>>,
    action: () => Promise<string>,
  ): Promise<FastifyReply> {
    try {
      return reply.redirect(await action(), 303)
    } catch (error) {
      const rejection = toAppError(error, reply.request)
      if (rejection.status >= 500) throw rejection
      const field = rejection.code === 'email_taken' ? 'email' : rejection.field
      const name = field === undefined ? 'form' : (fieldNames[field] ?? field)
      const fieldError = { field: name, text: describeFormError(name, rejection) }
      return sendAccount(reply, { input, fieldError }, name === 'form' ? rejection : undefined)
    }
  }

  /** Sends the page. `rejection` is an error that belongs to no field, and sets the status. */
  async function sendAccount(reply: FastifyReply, form: AccountForm, rejection?: AppError) {
    const { account, user, id } = reply.request.session
    const sessions = (await listSessions(ctx, ctx.db, user.id)).map((session) => ({
      id: session.id,
      browser: session.browser,
      signedIn: formatMoment(session.createdAt, user.timeZone),
      lastUsed: formatMoment(session.lastUsedAt, user.timeZone),
      isCurrent: session.id === id,
    }))
    const { username } = account
    const { email } = user
    const owners = (await listMembers(ctx.db, account.id)).filter(({ role }) => role === 'owner')
    const isLastOwner = owners.length === 1 && owners[0]?.id === user.id
    const storage =
      reply.request.session.role === 'owner'
        ? await getStorageUsage(ctx.db, config.bytesPerAccount, account.id)
        : undefined
    const page = { email, username, isLastOwner, sessions, storage, form }
    return sendConsolePage(reply, (frame) => renderAccountPage(frame, page), {
      status: rejection?.status ?? (form.fieldError ? 422 : 200),
      headers: rejection ? createErrorHeaders(rejection) : {},
    })
  }
}

/** Serves the confirmation after an account's deletion, when the user is already signed out. */
export function registerDeletedRoute(app: FastifyInstance): void {
  app.route({
    ...pageRoute,
    url: '/deleted',
    handler: async (_request, reply) =>
      sendSignedOutPage(reply, (nonce) => renderDeletedPage({ nonce })),
  })
}

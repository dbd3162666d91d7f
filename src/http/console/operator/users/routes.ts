import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../../context.ts'
import { type AppError, invalid } from '../../../../errors.ts'
import { getOperatorUser } from '../../../../operator/operator-users.service.ts'
import {
  changeAdmin,
  confirmEmail,
  createResetLink,
  disconnectProvider,
  removeSecondFactor,
} from '../../../../operator/user-actions.service.ts'
import { t } from '../../../../texts.ts'
import { createErrorHeaders, toAppError } from '../../../errors.ts'
import { parsePathId } from '../../../request/path-id.ts'
import { describeFormError } from '../../errors/labeled-error.ts'
import { confirmPassword } from '../../kit/confirmation.ts'
import { readText } from '../../kit/query.ts'
import { formFor, pageFor } from '../../kit/roles.ts'
import { formatDate } from '../../shell/format-day.ts'
import { readFields, sendConsolePage } from '../../shell/send.ts'
import { renderLinkForUserPage } from './link-page.ts'
import { USERS_PATH } from './list.ts'
import { renderUserPage, type UserForm } from './page.ts'

type UserRequest = FastifyRequest<{ Params: { id: string } }>

/** Returns the confirmation of the change that the URL names. */
function findConfirmation(name: string): string | undefined {
  return new Map([
    ['admin', t('admin.user.updated')],
    ['second-factor', t('admin.user.factorRemoved')],
    ['nothing', t('admin.user.unchanged')],
    ['confirm-email', t('admin.user.provider.confirmed')],
    ['disconnect', t('admin.user.provider.disconnected')],
  ]).get(name)
}

/** Registers the page of a user and the admin's actions on them. */
export function registerUserRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { db } = ctx

  app.route({
    ...pageFor('viewer'),
    url: '/users/:id',
    handler: async ({ params, query }: UserRequest, reply) =>
      sendUser(reply, parsePathId(params.id), {
        confirmation: findConfirmation(readText(query, 'done')),
      }),
  })

  app.post('/users/:id/reset-link', formFor('viewer'), async (request: UserRequest, reply) => {
    const { resetPassword } = readFields(request.body, ['resetPassword'])
    return attempt(request, reply, 'resetPassword', async (actor, id) => {
      await confirmPassword(ctx, request, resetPassword)
      const { email, url } = await createResetLink(ctx, db, actor, id)
      const link = {
        email,
        url,
        validity: 'hour',
        section: USERS_PATH,
        next: `${USERS_PATH}/${id}`,
      } as const
      return sendConsolePage(reply, (frame) => renderLinkForUserPage(frame, link))
    })
  })

  app.post('/users/:id/admin', formFor('viewer'), async (request: UserRequest, reply) => {
    const { admin, adminPassword } = readFields(request.body, ['admin', 'adminPassword'])
    return attempt(request, reply, 'adminPassword', async (actor, id) => {
      if (admin !== 'on' && admin !== 'off') throw invalid('admin', 'on_or_off')
      await confirmPassword(ctx, request, adminPassword)
      const user = await getOperatorUser(db, id)
      const isChange = user.admin !== (admin === 'on')
      if (isChange) await changeAdmin(ctx, db, actor, id, admin === 'on')
      const isLeaving = admin === 'off' && id === request.session.user.id
      const outcome = isChange ? 'admin' : 'nothing'
      return reply.redirect(isLeaving ? '/console' : `${USERS_PATH}/${id}?done=${outcome}`, 303)
    })
  })

  app.post(
    '/users/:id/remove-second-factor',
    formFor('viewer'),
    async (request: UserRequest, reply) => {
      const { factorPassword } = readFields(request.body, ['factorPassword'])
      return attempt(request, reply, 'factorPassword', async (actor, id) => {
        await confirmPassword(ctx, request, factorPassword)
        await removeSecondFactor(ctx, db, actor, id)
        const isOwn = id === request.session.user.id
        return reply.redirect(isOwn ? '/console' : `${USERS_PATH}/${id}?done=second-factor`, 303)
      })
    },
  )
  const changes = { 'confirm-email': confirmEmail, disconnect: disconnectProvider } as const
  for (const [action, change] of Object.entries(changes)) {
    app.post(`/users/:id/${action}`, formFor('viewer'), async (request: UserRequest, reply) => {
      const { providerPassword } = readFields(request.body, ['providerPassword'])
      return attempt(request, reply, 'providerPassword', async (actor, id) => {
        await confirmPassword(ctx, request, providerPassword)
        await change(ctx, db, actor, id)
        return reply.redirect(`${USERS_PATH}/${id}?done=${action}`, 303)
      })
    })
  }

  /** Runs a form's action, or shows the user again with the error at its field. */
  async function attempt(
    { params, session }: UserRequest,
    reply: FastifyReply,
    passwordField: string,
    work: (actor: string, id: number) => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    const id = parsePathId(params.id)
    try {
      return await work(session.user.email, id)
    } catch (error) {
      const rejection = toAppError(error, reply.request)
      if (rejection.status >= 500 || rejection.code === 'not_found') throw rejection
      const isPassword = rejection.field === 'currentPassword'
      const errorField = isPassword ? passwordField : 'form'
      const fieldError = { field: errorField, text: describeFormError(errorField, rejection) }
      return sendUser(reply, id, { fieldError }, isPassword ? undefined : rejection)
    }
  }

  async function sendUser(
    reply: FastifyReply,
    id: number,
    form: UserForm,
    rejection?: AppError,
  ): Promise<FastifyReply> {
    const user = await getOperatorUser(db, id)
    const { session } = reply.request
    const created = formatDate(user.createdAt, session.user.timeZone)
    const isOwn = id === session.user.id
    const allowsPasswords = ctx.config.passwordSignIn
    return sendConsolePage(
      reply,
      (frame) => renderUserPage(frame, { user, created, isOwn, allowsPasswords, form }),
      {
        status: rejection?.status ?? (form.fieldError ? 422 : 200),
        headers: rejection ? createErrorHeaders(rejection) : {},
      },
    )
  }
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../../context.ts'
import { type AppError, invalid } from '../../../../errors.ts'
import {
  invite,
  listInvitations,
  renewInvitation,
  withdrawInvitation,
} from '../../../../people/invitation.service.ts'
import {
  changeRole,
  getRole,
  listMembers,
  removeMember,
} from '../../../../people/member.service.ts'
import { type Role, readRole } from '../../../../people/user.ts'
import { findText } from '../../../../texts.ts'
import { createErrorHeaders, toAppError } from '../../../errors.ts'
import { describeError } from '../../../html/describe-error.ts'
import { clearSessionCookie } from '../../../html/session-cookie.ts'
import { parsePathId } from '../../../request/path-id.ts'
import { describeFormError } from '../../errors/labeled-error.ts'
import { confirmPassword } from '../../kit/confirmation.ts'
import { formFor, pageFor } from '../../kit/roles.ts'
import { formatDate } from '../../shell/format-day.ts'
import { readFields, sendConsolePage } from '../../shell/send.ts'
import type { InviteForm } from './form.ts'
import { renderInvitationLinkPage, renderMembersPage } from './page.ts'

type MemberRequest = FastifyRequest<{ Params: { id: string } }>
type PageRequest = FastifyRequest<{ Querystring: { done?: unknown } }>

type MembersState = {
  form?: InviteForm
  confirmation?: string | undefined
  /** The ID of the member whose change was rejected. */
  memberId?: number
  rejection?: AppError
}

const PATH = '/console/members'

/**
 * Registers the routes of the members of an account. Changes of owners require the current password:
 * with only a stolen session, someone could otherwise take over the account.
 */
export function registerMemberRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { config, db } = ctx

  app.route({
    ...pageFor('owner'),
    url: '/members',
    handler: async ({ query }: PageRequest, reply) =>
      sendMembers(reply, {
        confirmation: findText('member.done', readFields(query, ['done']).done),
      }),
  })

  app.post('/members/invite', formFor('owner'), async (request, reply) => {
    const fields = readFields(request.body, ['email', 'role', 'currentPassword'])
    const { email, currentPassword } = fields
    const role = readRole(fields.role)
    try {
      if (!role) throw invalid('role', 'role')
      if (role === 'owner') await confirmPassword(ctx, request, currentPassword)
      const invitation = await invite(ctx, db, request.session.account.id, { email, role })
      if (invitation.url === undefined) return reply.redirect(`${PATH}?done=invited`, 303)
      const { url } = invitation
      return sendConsolePage(reply, (frame) =>
        renderInvitationLinkPage(frame, { email: invitation.email, url }),
      )
    } catch (error) {
      const rejection = toAppError(error, request)
      if (rejection.status >= 500) throw rejection
      const { field } = rejection
      const errorField = field === 'email' || field === 'currentPassword' ? field : 'form'
      const form = {
        email,
        role,
        errors: { [errorField]: describeFormError(errorField, rejection) },
      }
      return sendMembers(reply, { form, rejection })
    }
  })

  app.post('/members/:id/role', formFor('owner'), async (request: MemberRequest, reply) => {
    const userId = parsePathId(request.params.id)
    const passwordField = `password-${userId}`
    const fields: Record<string, string> = readFields(request.body, ['role', passwordField])
    return attempt(request, reply, userId, async (accountId) => {
      const role = readRole(fields.role ?? '')
      if (!role) throw invalid('role', 'role')
      const currentRole = await confirmChange(request, userId, {
        newRole: role,
        password: fields[passwordField] ?? '',
      })
      await changeRole(db, accountId, userId, role, currentRole)
      const isSelf = userId === request.session.user.id
      return isSelf && role !== 'owner' ? '/console' : `${PATH}?done=role`
    })
  })

  app.post('/members/:id/remove', formFor('owner'), async (request: MemberRequest, reply) => {
    const userId = parsePathId(request.params.id)
    const passwordField = `password-${userId}`
    const password = readFields(request.body, [passwordField])[passwordField] ?? ''
    return attempt(request, reply, userId, async (accountId) => {
      const currentRole = await confirmChange(request, userId, { password })
      await removeMember(db, accountId, userId, currentRole)
      if (userId !== request.session.user.id) return `${PATH}?done=removed`
      clearSessionCookie(config, reply)
      return '/console/sign-in'
    })
  })

  app.post(
    '/members/invitations/:id/link',
    formFor('owner'),
    async (request: MemberRequest, reply) => {
      const { id } = request.session.account
      const { email, url } = await renewInvitation(ctx, db, id, parsePathId(request.params.id))
      return sendConsolePage(reply, (frame) => renderInvitationLinkPage(frame, { email, url }))
    },
  )

  app.post(
    '/members/invitations/:id/withdraw',
    formFor('owner'),
    async (request: MemberRequest, reply) => {
      await withdrawInvitation(db, request.session.account.id, parsePathId(request.params.id))
      return reply.redirect(`${PATH}?done=withdrawn`, 303)
    },
  )

  /**
   * Re-authenticates the user before a member becomes an owner, or another owner is demoted or
   * removed (without `newRole`). Returns the member's current role. Throws AppError `not_found`, and
   * the errors of `confirmPassword`.
   */
  async function confirmChange(
    request: FastifyRequest,
    userId: number,
    { newRole, password }: { newRole?: Role; password: string },
  ): Promise<Role> {
    const { account, user } = request.session
    const currentRole = await getRole(db, account.id, userId)
    const isOwnDeparture = userId === user.id && newRole !== 'owner'
    const isOwnerChange = (currentRole === 'owner') !== (newRole === 'owner')
    if (isOwnerChange && !isOwnDeparture) await confirmPassword(ctx, request, password)
    return currentRole
  }

  /** Changes a member and redirects, or shows the members again with the error. */
  async function attempt(
    { session }: FastifyRequest,
    reply: FastifyReply,
    memberId: number,
    work: (accountId: number) => Promise<string>,
  ): Promise<FastifyReply> {
    try {
      return reply.redirect(await work(session.account.id), 303)
    } catch (error) {
      const rejection = toAppError(error, reply.request)
      if (rejection.status >= 500 || rejection.code === 'not_found') throw rejection
      return sendMembers(reply, { memberId, rejection })
    }
  }

  async function sendMembers(
    reply: FastifyReply,
    { form = {}, confirmation, memberId, rejection }: MembersState,
  ) {
    const { account, user } = reply.request.session
    const [members, invitations] = await Promise.all([
      listMembers(db, account.id),
      listInvitations(ctx, db, account.id),
    ])
    const page = {
      members: members.map(({ id, email, role, since }) => ({
        id,
        email,
        role,
        since: formatDate(since, user.timeZone),
        isSelf: id === user.id,
        error: rejection && id === memberId ? describeError(rejection) : undefined,
      })),
      invitations: invitations.map(({ id, email, role, expiresAt }) => ({
        id,
        email,
        role,
        expires: formatDate(expiresAt, user.timeZone),
      })),
      form,
      confirmation,
    }
    const errorStatus = rejection?.field === undefined ? rejection?.status : 422
    return sendConsolePage(reply, (frame) => renderMembersPage(frame, page), {
      status: rejection ? errorStatus : 200,
      headers: rejection ? createErrorHeaders(rejection) : {},
    })
  }
}

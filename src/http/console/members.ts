import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { type AppError, checkAllAsync } from '../../errors.ts'
import { checkEmail } from '../../identity/account.ts'
import {
  invite,
  listInvitations,
  renewInvitation,
  withdrawInvitation,
} from '../../identity/invitation.service.ts'
import type { Invitation } from '../../identity/invitation.ts'
import { changeRole, getRole, listMembers, removeMember } from '../../identity/member.service.ts'
import { checkRole, type Member, ROLES, type Role, readRole } from '../../identity/user.ts'
import { csrfField } from '../../pages/field.ts'
import { findText, t } from '../../texts.ts'
import { describeError } from '../html/describe-error.ts'
import { clearSessionCookie } from '../html/session-cookie.ts'
import { confirmPassword, renderConfirmationField } from './kit/confirmation.ts'
import { type Choice, renderField, renderHidden } from './kit/fields.ts'
import { defineForm, type PageState } from './kit/form.ts'
import { renderBlank, renderButtonForm, renderCopyable, renderPanel } from './kit/parts.ts'
import { renderPopup } from './kit/popup.ts'
import {
  type ConsoleRequest,
  defineSubject,
  idOf,
  type Page,
  type Redirect,
} from './kit/subject.ts'
import { renderTable } from './kit/table.ts'
import { formatDate } from './shell/format.ts'
import type { Frame } from './shell/layout.ts'
import { renderSectionIcon } from './shell/navigation.ts'
import { readFields } from './shell/send.ts'

const PATH = '/console/members'

/** A change of a member that was rejected, and the error. */
type RejectedChange = { id: number; error: string }

const form = defineForm({
  email: { type: 'email', label: 'shell.fields.email', maxLength: 254 },
  role: {
    type: 'select',
    label: 'member.role',
    hint: 'member.roleHint',
    choices: () => listRoleChoices(),
  },
  currentPassword: {
    type: 'confirmation',
    label: 'shell.fields.yourPassword',
    hint: 'member.inviteOwnerHint',
    optional: true,
  },
})

/**
 * Registers the members of an account. Changes of owners require the current password: with only a
 * stolen session, someone could otherwise take over the account.
 */
export function registerMemberRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { config } = ctx
  const { page, submit, action } = defineSubject(app, PATH)

  page('/members', 'owner', (request) => renderMembers(request))

  submit(
    '/members/invite',
    'owner',
    form,
    async (request, { email, currentPassword, ...values }) => {
      const [role] = await checkAllAsync(
        () => checkRole(values.role),
        () => values.role === 'owner' && confirmPassword(ctx, request, currentPassword),
        () => checkEmail(email),
      )
      const invitation = await invite(request.scope, { email, role })
      const { url } = invitation
      return url === undefined
        ? { to: `${PATH}?done=invited` }
        : renderInvitationLink({ email: invitation.email, url })
    },
    (request, state) => renderMembers(request, state),
  )

  action('/members/:id/role', 'owner', setRole, renderRejectedChange)
  action('/members/:id/remove', 'owner', remove, renderRejectedChange)

  action('/members/invitations/:id/link', 'owner', async (request) =>
    renderInvitationLink(await renewInvitation(request.scope, idOf(request))),
  )

  action('/members/invitations/:id/withdraw', 'owner', async (request) => {
    await withdrawInvitation(request.scope, idOf(request))
    return { to: `${PATH}?done=withdrawn` }
  })

  async function setRole(request: ConsoleRequest): Promise<Redirect> {
    const { user } = request.session
    const id = idOf(request)
    const role = checkRole(readFields(request.body, ['role']).role)
    const currentRole = await confirmChange(request, role)
    await changeRole(request.scope, id, role, currentRole)
    return { to: id === user.id && role !== 'owner' ? '/console' : `${PATH}?done=role` }
  }

  async function remove(request: ConsoleRequest, reply: FastifyReply): Promise<Redirect> {
    const { user } = request.session
    const id = idOf(request)
    const currentRole = await confirmChange(request)
    await removeMember(request.scope, id, currentRole)
    if (id !== user.id) return { to: `${PATH}?done=removed` }
    clearSessionCookie(config, reply)
    return { to: '/console/sign-in' }
  }

  /**
   * Re-authenticates the user before a member becomes an owner, or another owner is demoted or
   * removed (without `newRole`). Returns the member's current role. Throws AppError `not_found`, and
   * the errors of `confirmPassword`.
   */
  async function confirmChange(request: ConsoleRequest, newRole?: Role): Promise<Role> {
    const { user } = request.session
    const id = idOf(request)
    const currentRole = await getRole(request.scope, id)
    const isOwnDeparture = id === user.id && newRole !== 'owner'
    const isOwnerChange = (currentRole === 'owner') !== (newRole === 'owner')
    if (isOwnerChange && !isOwnDeparture) {
      const name = getPasswordName(id)
      await confirmPassword(ctx, request, readFields(request.body, [name])[name] ?? '')
    }
    return currentRole
  }

  async function renderRejectedChange(request: ConsoleRequest, rejection: AppError): Promise<Page> {
    if (rejection.code === 'not_found') throw rejection
    return renderMembers(request, {}, { id: idOf(request), error: describeError(rejection) })
  }

  /** Renders the members, open invitations and the form that invites a member. */
  async function renderMembers(
    { scope, query, session }: ConsoleRequest,
    { values, errors }: PageState = {},
    rejected?: RejectedChange,
  ): Promise<Page> {
    const { account, user } = session
    const [members, invitations] = await Promise.all([listMembers(scope), listInvitations(scope)])
    const state = { values: { ...values, role: readRole(values?.role ?? '') ?? 'editor' }, errors }
    const confirmation = findText('member.done', readFields(query, ['done']).done)
    return {
      title: t('member.title'),
      body: (frame) => html`<h1>${t('member.title')}</h1>
${confirmation ? html`<p class="inset told" role="status">${confirmation}</p>` : null}
${renderPanel('members', t('member.membersOf', { account: account.username }), renderMemberTable(frame, members, { session, rejected }))}
${members.length + invitations.length === 1 ? renderBlank(t('member.none'), t('member.example'), html`<a class="button quiet" href="#invite">${t('member.inviteTitle')}</a>`, renderSectionIcon(PATH)) : null}
${invitations.length > 0 ? renderPanel('open', t('member.openInvitations'), renderInvitations(frame, invitations, user.timeZone)) : null}
${renderPanel('invite', t('member.inviteTitle'), [
  form.renderError(state),
  form.render(frame, state, { action: `${PATH}/invite`, button: t('member.invite') }),
])}`,
    }
  }
}

function renderMemberTable(
  frame: Frame,
  members: readonly Member[],
  { session, rejected }: Pick<ConsoleRequest, 'session'> & { rejected: RejectedChange | undefined },
): SafeHtml {
  const { id: ownId, timeZone } = session.user
  return renderTable(members, [
    {
      head: t('shell.fields.email'),
      cell: ({ id, email }) =>
        html`${email}${id === ownId ? html` <span class="badge">${t('member.you')}</span>` : null}`,
    },
    {
      head: t('member.since'),
      className: 'when',
      cell: ({ since }) => formatDate(since, timeZone),
    },
    { head: t('member.role'), cell: ({ role }) => t(`roles.${role}`) },
    {
      head: t('shell.actions'),
      hidden: true,
      cell: (member) => {
        const error = rejected?.id === member.id ? rejected.error : undefined
        return renderPopup({
          id: `change-${member.id}`,
          text: t('member.change'),
          subject: member.email,
          content: [
            error ? html`<p class="error" role="alert">${error}</p>` : null,
            renderChanges(frame, member, ownId),
          ],
          isOpen: error !== undefined,
        })
      },
    },
  ])
}

/**
 * Renders the forms that change a member. They ask for the password only if the change requires it:
 * changes of other owners, and granting the owner role.
 */
function renderChanges(frame: Frame, { id, email, role }: Member, ownId: number): SafeHtml {
  const path = `${PATH}/${id}`
  const csrf = csrfField(frame.csrf)
  const isOtherOwner = role === 'owner' && id !== ownId
  const roles = role === 'owner' ? ROLES : (['viewer', 'editor'] as const)
  const password = renderConfirmationField(frame, {
    name: getPasswordName(id),
    label: t('shell.fields.yourPassword'),
  })
  const removeText = html`${t('member.remove')}<span class="hidden-text"> ${email}</span>`
  return html`<form method="post" action="${path}/role">${csrf}
${renderField({ type: 'select', name: 'role', id: `role-${id}`, label: t('member.role'), value: role, choices: listRoleChoices(roles) })}
${isOtherOwner ? password : null}
<p class="actions"><button class="button quiet small">${t('member.saveRole')}</button>${isOtherOwner ? html`<button class="button danger small" formaction="${path}/remove">${removeText}</button>` : null}</p>
</form>
${
  role === 'owner'
    ? null
    : renderPopup({
        id: `owner-${id}`,
        text: t('member.makeOwner'),
        subject: email,
        content: html`<form method="post" action="${path}/role">${csrf}
${renderHidden({ role: 'owner' })}
${password}
<p class="actions"><button class="button quiet small">${t('member.makeOwner')}</button></p>
</form>`,
      })
}
${
  isOtherOwner
    ? null
    : html`<form method="post" action="${path}/remove">${csrf}
<p class="actions"><button class="button danger small">${removeText}</button></p>
</form>`
}`
}

function renderInvitations(
  frame: Frame,
  invitations: readonly Invitation[],
  timeZone: string,
): SafeHtml {
  return renderTable(invitations, [
    { head: t('shell.fields.email'), cell: ({ email }) => email },
    { head: t('member.role'), cell: ({ role }) => t(`roles.${role}`) },
    {
      head: t('member.expires'),
      className: 'when',
      cell: ({ expiresAt }) => formatDate(expiresAt, timeZone),
    },
    {
      head: t('shell.actions'),
      hidden: true,
      cell: ({ id, email, role }) => {
        const path = `${PATH}/invitations/${id}`
        const renewal = {
          action: `${path}/link`,
          text: t('member.newLink'),
          subject: t('member.newLinkFor', { email }),
        }
        return html`<div class="actions">${role === 'owner' ? null : renderButtonForm(frame, renewal)}
${renderButtonForm(frame, {
  action: `${path}/withdraw`,
  text: t('member.withdraw'),
  subject: t('member.withdrawOf', { email }),
})}</div>`
      },
    },
  ])
}

/** Renders the link of a new invitation, which is shown only this once. */
function renderInvitationLink({ email, url }: { email: string; url: string }): Page {
  return {
    title: t('member.invitation'),
    body: () => html`<h1>${t('member.invitationFor', { email })}</h1>
${renderPanel('link', t('member.send', { email }), [
  html`<p>${renderCopyable({ id: 'invitation', text: url })}</p>
<p class="soft">${t('member.sendHint')}</p>
<p class="actions"><a class="button" href="${PATH}">${t('member.doneButton')}</a></p>`,
])}`,
  }
}

/** Returns the roles as choices, by default all of them, weakest first. */
export function listRoleChoices(roles: readonly Role[] = ROLES): Choice[] {
  return roles.toReversed().map((value) => ({ value, label: t(`roles.${value}`) }))
}

function getPasswordName(id: number): string {
  return `password-${id}`
}

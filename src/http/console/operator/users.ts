import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { invalid } from '../../../errors.ts'
import type { User } from '../../../identity/user.ts'
import type { UserDetails, UserEntry } from '../../../operator/operator-users.service.ts'
import { getOperatorUser, listOperatorUsers } from '../../../operator/operator-users.service.ts'
import {
  changeAdmin,
  confirmEmail,
  createResetLink,
  disconnectProvider,
  removeSecondFactor,
} from '../../../operator/user-actions.service.ts'
import { t } from '../../../texts.ts'
import { confirmPassword } from '../kit/confirmation.ts'
import { renderHidden } from '../kit/fields.ts'
import { defineForm, type Form, type FormErrors } from '../kit/form.ts'
import { renderPager } from '../kit/pager.ts'
import {
  renderBlank,
  renderFinder,
  renderNotices,
  renderPanel,
  renderUntitledPanel,
} from '../kit/parts.ts'
import { buildPath, readPositiveInteger, readText } from '../kit/query.ts'
import { type ConsoleRequest, idOf, type Page, type Redirect } from '../kit/subject.ts'
import { renderTable } from '../kit/table.ts'
import { formatCount, formatDate } from '../shell/format.ts'
import type { Frame } from '../shell/layout.ts'
import { readFields } from '../shell/send.ts'
import { defineAdminSubject } from './layout.ts'
import { renderUserLink } from './user-link.ts'

export const USERS_PATH = '/console/operator/users'
const PER_PAGE = 50

type Confirmation = { type: 'confirmation'; label: 'admin.user.yourPassword' }
/** The fields with the admin's own password, each of which confirms a change. */
type PasswordField = 'resetPassword' | 'adminPassword' | 'factorPassword' | 'providerPassword'
type Errors = FormErrors<Record<PasswordField, Confirmation>>

const forms: { [Name in PasswordField]: Form<{ [Field in Name]: Confirmation }> } = {
  resetPassword: defineConfirmedForm('resetPassword'),
  adminPassword: defineConfirmedForm('adminPassword'),
  factorPassword: defineConfirmedForm('factorPassword'),
  providerPassword: defineConfirmedForm('providerPassword'),
}

function defineConfirmedForm<Name extends PasswordField>(name: Name) {
  const field: Confirmation = { type: 'confirmation', label: 'admin.user.yourPassword' }
  const specs = { [name]: field } as { [Field in Name]: Confirmation }
  return defineForm(specs, { fields: { currentPassword: name } })
}

/** Registers the list of all users, with a search, and the page of a user with the admin's actions. */
export function registerUserRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { db } = ctx
  const { page, submit } = defineAdminSubject(app, USERS_PATH)
  page('/users', 'viewer', renderList)
  page('/users/:id', 'viewer', (request) => renderUser(request))

  registerChange('reset-link', 'resetPassword', async (actor, id) => {
    const { email, url } = await createResetLink(ctx, db, actor.email, id)
    return renderUserLink({ email, url, validity: 'hour', next: `${USERS_PATH}/${id}` })
  })

  registerChange('admin', 'adminPassword', async (actor, id, { body }) => {
    const { admin } = readFields(body, ['admin'])
    if (admin !== 'on' && admin !== 'off') throw invalid('admin', 'on_or_off')
    const user = await getOperatorUser(db, id)
    const isChange = user.admin !== (admin === 'on')
    if (isChange) await changeAdmin(ctx, db, actor.email, id, admin === 'on')
    if (admin === 'off' && id === actor.id) return { to: '/console' }
    return { to: `${USERS_PATH}/${id}?done=${isChange ? 'admin' : 'nothing'}` }
  })

  registerChange('remove-second-factor', 'factorPassword', async (actor, id) => {
    await removeSecondFactor(ctx, db, actor.email, id)
    return { to: id === actor.id ? '/console' : `${USERS_PATH}/${id}?done=second-factor` }
  })

  for (const name of ['confirm-email', 'disconnect'] as const) {
    const change = name === 'disconnect' ? disconnectProvider : confirmEmail
    registerChange(name, 'providerPassword', async (actor, id) => {
      await change(ctx, db, actor.email, id)
      return { to: `${USERS_PATH}/${id}?done=${name}` }
    })
  }

  /** Registers a form that changes a user. The admin's own password confirms it. */
  function registerChange<Field extends PasswordField>(
    name: string,
    field: Field,
    change: (actor: User, id: number, request: ConsoleRequest) => Promise<Page | Redirect>,
  ): void {
    submit(
      `/users/:id/${name}`,
      'viewer',
      forms[field],
      async (request, values) => {
        await confirmPassword(ctx, request, values[field])
        return change(request.session.user, idOf(request), request)
      },
      (request, { errors }) => renderUser(request, errors),
    )
  }

  async function renderList({ query, session }: ConsoleRequest): Promise<Page> {
    const q = readText(query, 'q').slice(0, 254)
    const admins = readText(query, 'admins') === 'on' ? 'on' : ''
    const before = readPositiveInteger(query, 'before')
    const filter = { text: q, admins: admins !== '' }
    const { entries, older } = await listOperatorUsers(db, filter, { before, limit: PER_PAGE })
    const pages = {
      older: older ? buildPath(USERS_PATH, { q, admins, before: older }) : undefined,
      newer: before ? buildPath(USERS_PATH, { q, admins }) : undefined,
    }
    return {
      title: t('admin.user.title'),
      body: () => html`<h1>${t('admin.user.title')}</h1>
${renderUserFinder(q, admins)}
${entries.length > 0 ? renderUsers(entries, session.user.timeZone) : renderEmptyState()}
${renderPager(pages)}`,
    }
  }

  async function renderUser(request: ConsoleRequest, errors: Errors = {}): Promise<Page> {
    const user = await getOperatorUser(db, idOf(request))
    const isOwn = user.id === request.session.user.id
    const notice = findConfirmation(readText(request.query, 'done'))
    return {
      title: user.email,
      body: (
        frame,
      ) => html`<p class="eyebrow"><a href="${USERS_PATH}">${t('admin.user.title')}</a></p>
<h1>${user.email}${renderAdminBadge(user)}</h1>
${renderNotices({ notice, error: errors.form })}
${renderDetails(user, frame.timeZone)}
<div class="columns">
${ctx.config.passwordSignIn ? renderResetPanel(frame, user, errors) : null}
${renderAdminPanel(frame, user, { isOwn, errors })}
</div>
${frame.hasProvider ? renderProviderPanel(frame, user, errors) : null}
${user.hasSecondFactor ? renderFactorPanel(frame, user, errors) : null}`,
    }
  }
}

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

/** Renders the mark of an admin, or nothing for other users. */
export function renderAdminBadge({ admin: isAdmin }: { admin: boolean }): SafeHtml | null {
  return isAdmin ? html` <span class="badge">${t('admin.user.admin')}</span>` : null
}

function renderUserFinder(q: string, admins: string): SafeHtml {
  return renderFinder({
    action: USERS_PATH,
    fields: [
      {
        name: 'q',
        label: t('admin.user.finder.search'),
        value: q,
        placeholder: t('admin.user.finder.placeholder'),
        maxLength: 254,
      },
      { name: 'admins', label: t('admin.user.admins'), value: admins, isCheckbox: true },
    ],
    submit: t('admin.user.finder.submit'),
    clear: t('admin.user.finder.clear'),
  })
}

function renderUsers(users: readonly UserEntry[], zone: string): SafeHtml {
  const table = renderTable(users, [
    {
      head: t('admin.user.columns.email'),
      cell: (user) =>
        html`<a href="${USERS_PATH}/${user.id}">${user.email}</a>${renderAdminBadge(user)}`,
    },
    {
      head: t('admin.user.columns.accounts'),
      isNumber: true,
      cell: ({ accounts }) => formatCount(accounts),
    },
    { head: t('admin.user.columns.created'), cell: ({ createdAt }) => formatDate(createdAt, zone) },
  ])
  return renderUntitledPanel(t('admin.user.title'), table)
}

function renderEmptyState(): SafeHtml {
  return renderBlank(
    t('admin.user.empty'),
    t('admin.user.emptyText'),
    html`<a class="button quiet" href="${USERS_PATH}">${t('admin.user.showAll')}</a>`,
  )
}

function renderDetails(user: UserDetails, zone: string): SafeHtml {
  const { memberships, hasPassword, hasSecondFactor, emailVerified, createdAt } = user
  const list = html`<ul>${memberships.map(
    ({ accountId, username, role, suspended }) =>
      html`<li><a href="/console/operator/accounts/${accountId}">${username}</a>, ${t(`roles.${role}`)}${suspended ? `, ${t('admin.user.suspended')}` : null}</li>`,
  )}</ul>`
  return renderPanel('memberships', t('admin.user.memberships'), [
    memberships.length > 0 ? list : html`<p class="soft">${t('admin.user.noMemberships')}</p>`,
    html`<dl class="facts"><dt>${t('admin.user.password')}</dt><dd>${t(`admin.user.passwordStates.${hasPassword ? 'set' : 'none'}`)}</dd>
<dt>${t('admin.user.secondFactor')}</dt><dd>${t(`admin.user.secondFactorStates.${hasSecondFactor ? 'on' : 'off'}`)}</dd>
<dt>${t('admin.user.email')}</dt><dd>${t(`admin.user.emailStates.${emailVerified ? 'confirmed' : 'unconfirmed'}`)}</dd>
<dt>${t('admin.user.columns.created')}</dt><dd>${formatDate(createdAt, zone)}</dd></dl>`,
  ])
}

function renderResetPanel(frame: Frame, { id }: UserDetails, errors: Errors): SafeHtml {
  const action = `${USERS_PATH}/${id}/reset-link`
  const button = t('admin.user.resetButton')
  return renderPanel('reset', t('admin.user.reset'), [
    html`<p class="soft">${t('admin.user.resetText')}</p>`,
    forms.resetPassword.render(frame, { errors }, { action, button }),
  ])
}

function renderAdminPanel(
  frame: Frame,
  { id, admin: isAdmin }: UserDetails,
  { isOwn, errors }: { isOwn: boolean; errors: Errors },
): SafeHtml {
  return renderPanel('admin', t('admin.user.admin'), [
    html`<p class="soft">${t('admin.user.adminText')}${isAdmin && isOwn ? ` ${t('admin.user.ownText')}` : null}</p>`,
    forms.adminPassword.render(
      frame,
      { errors },
      {
        action: `${USERS_PATH}/${id}/admin`,
        button: t(isAdmin ? 'admin.user.remove' : 'admin.user.grant'),
        buttonClass: 'button quiet',
        before: html`${renderHidden({ admin: isAdmin ? 'off' : 'on' })}`,
      },
    ),
  ])
}

function renderProviderPanel(frame: Frame, user: UserDetails, errors: Errors): SafeHtml {
  const { id, isConnected, emailVerified } = user
  const title = t('admin.user.provider.title')
  if (!isConnected && emailVerified) {
    const text = html`<p class="soft">${t('admin.user.provider.notConnected')}</p>`
    return renderPanel('provider', title, text)
  }
  return renderPanel('provider', title, [
    html`<p class="soft">${t(`admin.user.provider.${isConnected ? 'connectedText' : 'confirmText'}`)}</p>`,
    forms.providerPassword.render(
      frame,
      { errors },
      {
        action: `${USERS_PATH}/${id}/${isConnected ? 'disconnect' : 'confirm-email'}`,
        button: t(`admin.user.provider.${isConnected ? 'disconnect' : 'confirm'}`),
        buttonClass: 'button quiet',
      },
    ),
  ])
}

function renderFactorPanel(frame: Frame, { id }: UserDetails, errors: Errors): SafeHtml {
  const action = `${USERS_PATH}/${id}/remove-second-factor`
  const button = t('admin.user.removeFactor')
  return renderPanel('second-factor', t('admin.user.secondFactor'), [
    html`<p class="soft">${t('admin.user.removeFactorText')}</p>`,
    forms.factorPassword.render(
      frame,
      { errors },
      { action, button, buttonClass: 'button danger' },
    ),
  ])
}

import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { deleteOwnAccount } from '../../account-deletion/account-deletion.ts'
import type { HttpContext } from '../../context.ts'
import { checkAllAsync, invalid } from '../../errors.ts'
import { checkEmail, checkPassword } from '../../identity/account.ts'
import { deleteUser, listMembers, removeMember } from '../../identity/member.service.ts'
import { endOwnSession, listSessions } from '../../identity/session.service.ts'
import { getStorageUsage, type StorageUsage } from '../../identity/storage.ts'
import { endSessions, updateUser } from '../../identity/user.service.ts'
import { csrfField } from '../../pages/field.ts'
import { findText, t } from '../../texts.ts'
import { clearSessionCookie } from '../html/session-cookie.ts'
import { defineDeletionForm, renderDeletionPanel, requireUsername } from './account-deletion.ts'
import { confirmPassword } from './kit/confirmation.ts'
import { defineForm, type PageState } from './kit/form.ts'
import { renderButtonForm, renderNotices, renderPanel } from './kit/parts.ts'
import {
  type ConsoleRequest,
  defineSignedOutSubject,
  defineSubject,
  idOf,
  type Page,
  type Redirect,
} from './kit/subject.ts'
import { renderTable } from './kit/table.ts'
import { formatBytes, formatMoment } from './shell/format.ts'
import type { Frame } from './shell/layout.ts'
import { readFields } from './shell/send.ts'

const PATH = '/console/account'

const emailForm = defineForm(
  {
    email: {
      type: 'email',
      label: 'shell.fields.email',
      hint: 'account.email.hint',
      autocomplete: 'email',
    },
    yourPassword: { type: 'confirmation', label: 'shell.fields.yourPassword' },
  },
  { fields: { currentPassword: 'yourPassword' }, codes: { email_taken: 'email' } },
)

const passwordForm = defineForm(
  {
    currentPassword: { type: 'confirmation', label: 'account.password.current' },
    newPassword: {
      type: 'password',
      label: 'account.password.new',
      hint: 'account.password.hint',
      autocomplete: 'new-password',
      minLength: 8,
    },
  },
  { fields: { password: 'newPassword' } },
)

const leaveForm = defineForm({})

const userDeletionForm = defineForm(
  { userPassword: { type: 'confirmation', label: 'shell.fields.yourPassword' } },
  { fields: { currentPassword: 'userPassword' } },
)

/**
 * Registers the page of the user and the current account, with forms that change the email and the
 * password, end sessions, leave the account, and delete the user or the account.
 */
export function registerAccountRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { config, db } = ctx
  const { page, submit, action } = defineSubject(app, PATH)

  page('/account', 'viewer', (request) => renderAccount(request))

  submit(
    '/account/email',
    'viewer',
    emailForm,
    async (request, { email, yourPassword }) => {
      await checkAllAsync(
        () => confirmPassword(ctx, request, yourPassword),
        () => checkEmail(email),
      )
      const { user } = request.session
      const updated = await updateUser(ctx, db, user.id, { email })
      return { to: `${PATH}?done=${updated.email === user.email ? 'nothing' : 'email'}` }
    },
    renderAccount,
  )

  submit(
    '/account/password',
    'viewer',
    passwordForm,
    async (request, { currentPassword, newPassword }) => {
      await checkAllAsync(
        () => confirmPassword(ctx, request, currentPassword),
        () => checkPassword(newPassword),
        () => requireOther(newPassword, currentPassword),
      )
      const { user, id } = request.session
      await updateUser(ctx, db, user.id, { password: newPassword }, id)
      return { to: `${PATH}?done=password` }
    },
    renderAccount,
  )

  action('/account/sessions/:id/end', 'viewer', async (request) => {
    await endOwnSession(db, request.session.user.id, idOf(request))
    return { to: PATH, toast: 'sessionEnded' }
  })

  action('/account/sessions/end-others', 'viewer', async ({ session }) => {
    await endSessions(db, session.user.id, session.id)
    return { to: PATH, toast: 'sessionEnded' }
  })

  submit(
    '/account/leave',
    'viewer',
    leaveForm,
    async ({ scope, session }, _values, reply) => {
      await removeMember(scope, session.user.id)
      return signOut(reply)
    },
    renderAccount,
  )

  submit(
    '/account/delete-user',
    'viewer',
    userDeletionForm,
    async (request, { userPassword }, reply) => {
      await confirmPassword(ctx, request, userPassword)
      await deleteUser(db, request.session.user.id)
      return signOut(reply)
    },
    renderAccount,
  )

  submit(
    '/account/delete',
    'owner',
    ({ session }: ConsoleRequest) => defineDeletionForm(session.account.username),
    async (request, { username, deletionPassword }, reply) => {
      const { account } = request.session
      await checkAllAsync(
        () => requireUsername(username, account),
        () => confirmPassword(ctx, request, deletionPassword),
      )
      await deleteOwnAccount(request.scope)
      return signOut(reply, '/console/deleted')
    },
    renderAccount,
  )

  function signOut(reply: FastifyReply, to = '/console/sign-in'): Redirect {
    clearSessionCookie(config, reply)
    return { to }
  }

  /**
   * Renders the page. Users without a password get no password and second-factor panels, and only
   * owners can delete the account.
   */
  async function renderAccount(
    { scope, query, session }: ConsoleRequest,
    rejected: PageState = {},
  ): Promise<Page> {
    const { account, role, user } = session
    const owners = (await listMembers(scope)).filter((member) => member.role === 'owner')
    const isLastOwner = owners.length === 1 && owners[0]?.id === user.id
    const sessions = await listSessions(ctx, db, user.id)
    const storage =
      role === 'owner' ? await getStorageUsage(scope, config.bytesPerAccount) : undefined
    const state: PageState = { ...rejected, values: { email: user.email, ...rejected.values } }
    const notice = findText('account.done', readFields(query, ['done']).done)
    return {
      title: t('account.title'),
      body: (frame) => html`<h1>${t('account.title')}</h1>
${renderNotices({ notice, error: state.errors?.form })}
<div class="columns">
${renderPanel('email-title', t('shell.fields.email'), emailForm.render(frame, state, { action: `${PATH}/email`, button: t('account.email.button') }))}
${user.hasPassword ? renderPanel('password-title', t('shell.fields.password'), passwordForm.render(frame, state, { action: `${PATH}/password`, button: t('account.password.button'), buttonClass: 'button quiet' })) : null}
</div>
${user.hasPassword ? renderPanel('second-factor', t('secondFactor.title'), renderSecondFactorLink()) : null}
${renderPanel('sessions', t('account.sessions.title'), renderSessions(frame, sessions, session.id))}
${storage ? renderPanel('storage', t('account.storage.title'), renderStorage(storage)) : null}
${isLastOwner ? null : html`<div class="columns">${renderDepartures(frame, state)}</div>`}
${renderDeletionPanel(frame, { action: `${PATH}/delete`, username: account.username, note: t('account.deletion.note'), state })}`,
    }
  }
}

/** Registers the confirmation after an account's deletion, when the user is already signed out. */
export function registerDeletedRoute(app: FastifyInstance): void {
  defineSignedOutSubject(app).page('/deleted', 'everyone', async () => ({
    title: t('account.deleted.title'),
    body: () => html`<h1>${t('account.deleted.heading')}</h1>
<p class="soft">${t('account.deleted.text')}</p>
<p class="actions"><a class="button quiet" href="/">${t('account.deleted.home')}</a></p>`,
  }))
}

function requireOther(password: string, current: string): void {
  if (password === current) throw invalid('password', 'different_from_current')
}

type Session = Awaited<ReturnType<typeof listSessions>>[number]

function renderSessions(frame: Frame, sessions: readonly Session[], ownId: number): SafeHtml {
  const describeBrowser = ({ browser }: Session) => browser ?? t('account.sessions.unknown')
  const table = renderTable(sessions, [
    { head: t('account.sessions.browser'), cell: describeBrowser },
    {
      head: t('account.sessions.signedIn'),
      cell: ({ createdAt }) => formatMoment(createdAt, frame.timeZone),
    },
    {
      head: t('account.sessions.lastUsed'),
      cell: ({ lastUsedAt }) => formatMoment(lastUsedAt, frame.timeZone),
    },
    {
      head: t('shell.actions'),
      hidden: true,
      cell: (session) => {
        if (session.id === ownId) return t('account.sessions.current')
        const browser = describeBrowser(session)
        const lastUsed = formatMoment(session.lastUsedAt, frame.timeZone)
        return renderButtonForm(frame, {
          action: `${PATH}/sessions/${session.id}/end`,
          text: t('account.sessions.signOut'),
          subject: t('account.sessions.session', { browser, lastUsed }),
        })
      },
    },
  ])
  if (sessions.length === 1) return table
  return html`${table}
<form method="post" action="${PATH}/sessions/end-others">${csrfField(frame.csrf)}
<button class="button quiet">${t('account.sessions.signOutOthers')}</button>
</form>`
}

function renderSecondFactorLink(): SafeHtml {
  return html`<p class="soft">${t('secondFactor.summary')}</p>
<p class="actions"><a class="button quiet" href="${PATH}/second-factor">${t('secondFactor.manage')}<span class="hidden-text"> ${t('secondFactor.title')}</span></a></p>`
}

function renderStorage(usage: StorageUsage): SafeHtml {
  return html`<p>${describeStorage(usage)}</p>
<p class="soft">${t('account.storage.text')}</p>`
}

/** Renders the forms for leaving the account and for deleting the user. */
function renderDepartures(frame: Frame, state: PageState): SafeHtml[] {
  const buttonClass = 'button danger'
  return [
    renderPanel('leave', t('account.leave.title', { account: frame.username }), [
      html`<p class="soft">${t('account.leave.text')}</p>`,
      leaveForm.render(frame, state, {
        action: `${PATH}/leave`,
        button: t('account.leave.button'),
        buttonClass,
      }),
    ]),
    renderPanel('delete-user', t('account.deleteUser.title'), [
      html`<p class="soft">${t('account.deleteUser.text')}</p>`,
      userDeletionForm.render(frame, state, {
        action: `${PATH}/delete-user`,
        button: t('account.deleteUser.button'),
        buttonClass,
      }),
    ]),
  ]
}

/** Describes how much of its storage an account has used. */
export function describeStorage({ bytes, limit }: StorageUsage): string {
  const amount = formatBytes(Math.max(0, bytes))
  return limit === undefined
    ? t('account.storage.used', { bytes: amount })
    : t('account.storage.limited', { bytes: amount, limit: formatBytes(limit) })
}

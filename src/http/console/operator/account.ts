import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import { countClicksOfAccount, ifAvailable } from '../../../clicks/read.ts'
import type { HttpContext } from '../../../context.ts'
import { AppError, checkAllAsync } from '../../../errors.ts'
import { type Account, checkEmail } from '../../../identity/account.ts'
import { listKeys } from '../../../identity/key.service.ts'
import { listMembers } from '../../../identity/member.service.ts'
import { getStorageUsage } from '../../../identity/storage.ts'
import { readRole } from '../../../identity/user.ts'
import { parseExpiry } from '../../../links/rules/expiry.ts'
import {
  changePlan,
  deleteAccount,
  suspendAccount,
} from '../../../operator/account-actions.service.ts'
import { getOperatorAccount } from '../../../operator/operator-accounts.service.ts'
import { addMember } from '../../../operator/user-actions.service.ts'
import { listLogLines } from '../../../operator-log/operator-log.service.ts'
import { findText, t, tHtml } from '../../../texts.ts'
import { formatDate } from '../../timestamp.ts'
import { defineDeletionForm, renderDeletionPanel, requireUsername } from '../account-deletion.ts'
import { confirmPassword } from '../kit/confirmation.ts'
import { defineForm } from '../kit/form.ts'
import { renderDecisionForm, renderNotices, renderPanel } from '../kit/parts.ts'
import { renderPopup } from '../kit/popup.ts'
import { readText } from '../kit/query.ts'
import { type ConsoleRequest, idOf, type Page } from '../kit/subject.ts'
import { listRoleChoices } from '../members.ts'
import type { Frame } from '../shell/layout.ts'
import {
  renderDetails,
  renderKeysPanel,
  renderLogPanel,
  renderMembersPanel,
} from './account-details.ts'
import { listPlanChoices, ACCOUNTS_PATH as PATH, readPlan } from './accounts.ts'
import { defineAdminSubject } from './layout.ts'
import { showAddedUser } from './user-link.ts'

/** The maximum number of keys and of log lines on the page. */
const MAX_KEYS = 50
const MAX_LINES = 5

const suspension = defineForm({
  reason: {
    label: 'admin.reason',
    hint: 'admin.account.reasonHint',
    maxLength: 200,
    optional: true,
  },
})
const planForm = defineForm({
  plan: { type: 'select', label: 'admin.account.plan', choices: listPlanChoices },
  expires: {
    type: 'date',
    label: 'admin.account.planExpires',
    hint: 'admin.account.planHint',
    optional: true,
  },
})
const memberForm = defineForm(
  {
    email: {
      type: 'email',
      label: 'admin.user.columns.email',
      hint: 'admin.user.addMemberHint',
      maxLength: 254,
    },
    role: { type: 'select', label: 'admin.user.role', choices: () => listRoleChoices() },
    memberPassword: { type: 'confirmation', label: 'admin.user.yourPassword' },
  },
  { fields: { currentPassword: 'memberPassword' } },
)
const deletion = defineDeletionForm('')

/** The values and errors of a rejected form. The fields of all forms have different names. */
type State = Parameters<typeof suspension.render>[1] &
  Parameters<typeof planForm.render>[1] &
  Parameters<typeof memberForm.render>[1] &
  Parameters<typeof deletion.render>[1]

/** Registers the page of an account, and the admins' actions on it. */
export function registerAccountRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { clock, config, db } = ctx
  const { page, submit, action } = defineAdminSubject(app, PATH)
  page('/accounts/:id', 'viewer', (request) => renderAccount(request))

  submit(
    '/accounts/:id/suspend',
    'viewer',
    suspension,
    async (request, { reason }) => {
      const id = idOf(request)
      const change = { suspended: true, reason }
      await suspendAccount(ctx, db, request.session.user.email, id, change)
      return { to: `${PATH}/${id}?done=suspended` }
    },
    renderAccount,
  )

  action(
    '/accounts/:id/resume',
    'viewer',
    async (request) => {
      const id = idOf(request)
      await suspendAccount(ctx, db, request.session.user.email, id, { suspended: false })
      return { to: `${PATH}/${id}?done=resumed` }
    },
    (request, rejection) => renderAccount(request, { errors: suspension.describe(rejection) }),
  )

  submit(
    '/accounts/:id/plan',
    'viewer',
    planForm,
    async (request, { plan, expires }) => {
      const account = await getOperatorAccount(db, idOf(request))
      const path = `${PATH}/${account.id}`
      if (plan === account.plan && expires === formatExpiration(account)) {
        return { to: `${path}?done=nothing` }
      }
      const expiresAt = expires === '' ? null : parseExpiry('expires', expires, clock())
      const change = { plan: readPlan(plan), expiresAt }
      await changePlan(ctx, db, request.session.user.email, account.id, change)
      return { to: `${path}?done=plan` }
    },
    renderAccount,
  )

  submit(
    '/accounts/:id/members',
    'viewer',
    memberForm,
    async (request, { email, role: roleName, memberPassword }) => {
      const role = readRole(roleName)
      if (!role) throw new AppError('malformed_request')
      await checkAllAsync(
        () => confirmPassword(ctx, request, memberPassword),
        () => checkEmail(email),
      )
      const account = await getOperatorAccount(db, idOf(request))
      const actor = request.session.user.email
      const added = await addMember(ctx, db, actor, account, { email, role })
      const next = `${PATH}/${account.id}`
      return showAddedUser(config, added, { next, mailed: 'invited', known: 'added' })
    },
    renderAccount,
  )

  submit(
    '/accounts/:id/delete',
    'viewer',
    deletion,
    async (request, { username, deletionPassword }) => {
      const account = await getOperatorAccount(db, idOf(request))
      await checkAllAsync(
        () => requireUsername(username, account),
        () => confirmPassword(ctx, request, deletionPassword),
      )
      await deleteAccount(ctx, db, request.session.user.email, account.id)
      return { to: `${PATH}?done=deleted` }
    },
    renderAccount,
  )

  async function renderAccount(request: ConsoleRequest, state: State = {}): Promise<Page> {
    const account = await getOperatorAccount(db, idOf(request))
    const { id, username, deleting, hasAdmin } = account
    const [clicks, keys, lines, members, storage] = await Promise.all([
      ifAvailable(countClicksOfAccount({ db, accountId: id })),
      listKeys({ db, accountId: id }),
      listLogLines(db, { subject: username }, { limit: MAX_LINES }),
      listMembers({ db, accountId: id }),
      getStorageUsage({ db, accountId: id }, config.bytesPerAccount),
    ])
    const now = clock()
    const isActive = !deleting && !account.suspended
    const isOwn = id === request.session.account.id
    const done = readText(request.query, 'done')
    const notice = findText('admin.account.done', done) ?? findText('admin.user.done', done)
    return {
      title: t('admin.account.title', { username }),
      body: (frame) => html`<p class="eyebrow"><a href="${PATH}">${t('admin.account.list')}</a></p>
<h1>${username}${hasAdmin ? html` <span class="badge">${t('admin.account.admin')}</span>` : null}</h1>
${renderNotices({ notice, error: state.errors?.form })}
${renderDetails(account, { clicks, storage }, now, frame.timeZone)}
${
  deleting
    ? null
    : html`<div class="columns">
${isOwn ? renderOwnAccountNote() : renderSuspensionPanel(frame, account, state)}
${renderPlanPanel(frame, account, state)}
</div>`
}
${renderMembersPanel(members, isActive ? renderMemberForm(frame, id, state) : null, now, frame.timeZone)}
${renderKeysPanel(keys.slice(-MAX_KEYS).reverse(), now, frame.timeZone)}
${renderLogPanel(username, lines, frame.timeZone)}
${
  deleting || isOwn
    ? null
    : renderDeletionPanel(frame, {
        username,
        action: `${PATH}/${id}/delete`,
        note: t('admin.account.deletionNote'),
        state,
      })
}`,
    }
  }
}

function renderOwnAccountNote(): SafeHtml {
  return renderPanel(
    'own',
    t('admin.account.own'),
    html`<p class="soft">${tHtml('admin.account.ownText', { page: html`<a href="/console/account">${t('admin.account.ownPage')}</a>` })}</p>`,
  )
}

function renderSuspensionPanel(frame: Frame, { id, suspended }: Account, state: State): SafeHtml {
  if (suspended) {
    const button = html`<button class="button">${t('admin.account.resumeButton')}</button>`
    return renderPanel('suspension', t('admin.account.resume'), [
      html`<p class="soft">${t('admin.account.resumeText')}</p>`,
      renderDecisionForm(frame, `${PATH}/${id}/resume`, [button]),
    ])
  }
  return renderPanel('suspension', t('admin.account.suspend'), [
    html`<p class="soft">${t('admin.account.suspendText')}</p>`,
    suspension.render(frame, state, {
      action: `${PATH}/${id}/suspend`,
      button: t('admin.account.suspendButton'),
      buttonClass: 'button danger',
    }),
  ])
}

function renderPlanPanel(frame: Frame, account: Account, { values, errors }: State): SafeHtml {
  const current = { plan: account.plan, expires: formatExpiration(account) }
  return renderPanel(
    'plan-title',
    t('admin.account.plan'),
    planForm.render(
      frame,
      { values: { ...current, ...values }, ...(errors && { errors }) },
      { action: `${PATH}/${account.id}/plan`, button: t('admin.account.savePlan') },
    ),
  )
}

/** Renders the form that adds a member, collapsed unless it has an error. */
function renderMemberForm(frame: Frame, id: number, { values, errors }: State): SafeHtml {
  const form = memberForm.render(
    frame,
    { values: { role: 'editor', ...values }, ...(errors && { errors }) },
    {
      action: `${PATH}/${id}/members`,
      button: t('admin.user.addButton'),
      buttonClass: 'button quiet',
    },
  )
  return renderPopup({
    id: 'add-member',
    text: t('admin.user.addMember'),
    content: [form],
    isOpen: Boolean(errors?.email || errors?.memberPassword),
  })
}

/** Returns the expiration of a plan as a form value. */
function formatExpiration({ expiresAt }: Account): string {
  return expiresAt ? formatDate(expiresAt) : ''
}

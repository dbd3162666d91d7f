import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { AppError, checkAllAsync } from '../../../errors.ts'
import { countAccounts, requireFreeUsername } from '../../../identity/account.service.ts'
import { checkEmail, PLANS, type Plan } from '../../../identity/account.ts'
import {
  type AccountEntry,
  listOperatorAccounts,
} from '../../../operator/operator-accounts.service.ts'
import { createAccountFor } from '../../../operator/user-actions.service.ts'
import { t } from '../../../texts.ts'
import { confirmPassword } from '../kit/confirmation.ts'
import type { Choice } from '../kit/fields.ts'
import { defineForm } from '../kit/form.ts'
import { renderPager } from '../kit/pager.ts'
import { renderBlank, renderFinder, renderNotices, renderUntitledPanel } from '../kit/parts.ts'
import { buildPath, readPositiveInteger, readText } from '../kit/query.ts'
import type { Page } from '../kit/subject.ts'
import { renderTable } from '../kit/table.ts'
import { formatCount, formatDate } from '../shell/format.ts'
import { describePlan, describeState } from './account-details.ts'
import { defineAdminSubject } from './layout.ts'
import { showAddedUser } from './user-link.ts'

export const ACCOUNTS_PATH = '/console/operator/accounts'
const PER_PAGE = 50
/** The filters of the list. */
const FILTERS = ['active', 'suspended', 'deleting', 'admin'] as const

const form = defineForm(
  {
    email: {
      type: 'email',
      label: 'admin.user.ownerEmail',
      autocomplete: 'email',
      maxLength: 254,
    },
    username: { label: 'admin.user.username', hint: 'admin.user.usernameHint' },
    plan: { type: 'select', label: 'admin.user.plan', choices: listPlanChoices },
    ownPassword: { type: 'confirmation', label: 'admin.user.yourPassword' },
  },
  { fields: { currentPassword: 'ownPassword' }, codes: { username_taken: 'username' } },
)

/** Registers the list of the service's accounts, with a search, and the form for a new one. */
export function registerAccountsRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { page, submit } = defineAdminSubject(app, ACCOUNTS_PATH)

  page('/', 'viewer', async () => ({ to: ACCOUNTS_PATH }))

  page('/accounts', 'viewer', async ({ query, session }) => {
    const q = readText(query, 'q').slice(0, 254)
    const state = FILTERS.find((name) => name === readText(query, 'state')) ?? ''
    const before = readPositiveInteger(query, 'before')
    const after = before === undefined ? readPositiveInteger(query, 'after') : undefined
    const filter = { text: q, state: state || undefined }
    const [total, { entries, ...cursors }] = await Promise.all([
      countAccounts(ctx.db),
      listOperatorAccounts(ctx.db, filter, { before, after, limit: PER_PAGE }),
    ])
    const pages = {
      newer: cursors.newer
        ? buildPath(ACCOUNTS_PATH, { q, state, after: cursors.newer })
        : undefined,
      older: cursors.older
        ? buildPath(ACCOUNTS_PATH, { q, state, before: cursors.older })
        : undefined,
    }
    const isDeleted = readText(query, 'done') === 'deleted'
    return {
      title: t('admin.account.list'),
      body: () => html`<div class="head">
<h1>${t('admin.account.list')}</h1>
<a class="button" href="${ACCOUNTS_PATH}/new">${t('admin.user.newAccount')}</a>
</div>
${renderNotices({ notice: isDeleted ? t('admin.account.deleted') : undefined })}
<p class="soft">${t('admin.account.count', { count: total })}</p>
${renderAccountFinder(q, state)}
${entries.length > 0 ? renderAccounts(entries, ctx.clock(), session.user.timeZone) : renderEmptyState()}
${renderPager(pages)}`,
    }
  })

  page('/accounts/new', 'viewer', async () => renderNewAccount({ values: { plan: 'free' } }))

  // The owner chooses the password.
  submit(
    '/accounts',
    'viewer',
    form,
    async (request, { email, username, plan, ownPassword }) => {
      await checkAllAsync(
        () => confirmPassword(ctx, request, ownPassword),
        () => checkEmail(email),
        () => requireFreeUsername(ctx.db, username),
      )
      const input = { email, username, plan: readPlan(plan || 'free') }
      const created = await createAccountFor(ctx, ctx.db, request.session.user.email, input)
      const next = `${ACCOUNTS_PATH}/${created.account.id}`
      return showAddedUser(ctx.config, created, { next, mailed: 'mailed', known: 'created' })
    },
    async (_request, state) => renderNewAccount(state),
  )
}

/** Returns the choices of a plan. */
export function listPlanChoices(): Choice[] {
  return PLANS.map((plan) => ({ value: plan, label: plan }))
}

/** Returns the plan with this name. @throws AppError `malformed_request` if there is none */
export function readPlan(name: string): Plan {
  const plan = PLANS.find((each) => each === name)
  if (!plan) throw new AppError('malformed_request')
  return plan
}

function renderNewAccount(state: Parameters<typeof form.render>[1]): Page {
  const title = t('admin.user.newAccount')
  return {
    title,
    body: (
      frame,
    ) => html`<p class="eyebrow"><a href="${ACCOUNTS_PATH}">${t('admin.account.list')}</a></p>
<h1>${title}</h1>
<p class="soft">${t('admin.user.newAccountText')}</p>
${form.renderError(state)}
${renderUntitledPanel(title, form.render(frame, state, { action: ACCOUNTS_PATH, button: t('admin.user.createAccount') }))}`,
  }
}

function renderAccountFinder(q: string, state: string): SafeHtml {
  return renderFinder({
    action: ACCOUNTS_PATH,
    fields: [
      {
        name: 'q',
        label: t('admin.search'),
        value: q,
        placeholder: t('admin.account.placeholder'),
        maxLength: 254,
      },
      {
        name: 'state',
        label: t('admin.status'),
        value: state,
        any: t('admin.any'),
        choices: FILTERS.map((name) => [name, t(`admin.account.filters.${name}`)] as const),
      },
    ],
    submit: t('admin.search'),
    clear: t('admin.clear'),
  })
}

function renderAccounts(accounts: readonly AccountEntry[], now: Date, zone: string): SafeHtml {
  const table = renderTable(
    accounts,
    [
      {
        head: t('admin.account.account'),
        cell: ({ id, username, email, hasAdmin }) =>
          html`<a href="${ACCOUNTS_PATH}/${id}">${username}</a>${hasAdmin ? html` <span class="badge">${t('admin.account.admin')}</span>` : null}
<span class="small soft under">${email}</span>`,
      },
      { head: t('admin.account.plan'), cell: (account) => describePlan(account, now, zone) },
      {
        head: t('admin.status'),
        cell: describeState,
      },
      { head: t('admin.links'), isNumber: true, cell: ({ links }) => formatCount(links) },
      { head: t('admin.created'), cell: ({ registeredAt }) => formatDate(registeredAt, zone) },
    ],
    { className: 'cards accounts' },
  )
  return renderUntitledPanel(t('admin.account.list'), table)
}

function renderEmptyState(): SafeHtml {
  return renderBlank(
    t('admin.noMatches'),
    t('admin.account.empty'),
    html`<a class="button quiet" href="${ACCOUNTS_PATH}">${t('admin.account.showAll')}</a>`,
  )
}

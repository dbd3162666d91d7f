import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import { countAccounts } from '../../../../accounts/account.service.ts'
import type { HttpContext } from '../../../../context.ts'
import {
  type AccountEntry,
  listOperatorAccounts,
} from '../../../../operator/operator-accounts.service.ts'
import { t } from '../../../../texts.ts'
import { renderPager } from '../../kit/pager.ts'
import { renderBlank, renderFinder, renderUntitledPanel } from '../../kit/parts.ts'
import { buildPath, readPositiveInteger, readText } from '../../kit/query.ts'
import { renderTable } from '../../kit/table.ts'
import { formatCount } from '../../shell/format-count.ts'
import { formatDate } from '../../shell/format-day.ts'
import { defineAdminSubject } from '../layout.ts'
import { describePlan, getAccountState } from './account-texts.ts'

const PATH = '/console/operator/accounts'
const PER_PAGE = 50
/** The filters of the list. */
const FILTERS = ['active', 'suspended', 'deleting', 'admin'] as const

/** Registers the list of the service's accounts, with a search. */
export function registerAccountListRoute(app: FastifyInstance, ctx: HttpContext): void {
  const { page } = defineAdminSubject(app, PATH)

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
      newer: cursors.newer ? buildPath(PATH, { q, state, after: cursors.newer }) : undefined,
      older: cursors.older ? buildPath(PATH, { q, state, before: cursors.older }) : undefined,
    }
    const isDeleted = readText(query, 'done') === 'deleted'
    return {
      title: t('admin.account.list'),
      body: () => html`<div class="headline">
<h1>${t('admin.account.list')}</h1>
<a class="button" href="${PATH}/new">${t('admin.user.newAccount')}</a>
</div>
${isDeleted ? html`<p class="inset told" role="status">${t('admin.account.deleted')}</p>` : null}
<p class="soft">${t('admin.account.count', { count: total })}</p>
${renderAccountFinder(q, state)}
${entries.length > 0 ? renderAccounts(entries, ctx.clock(), session.user.timeZone) : renderEmptyState()}
${renderPager(pages)}`,
    }
  })
}

function renderAccountFinder(q: string, state: string): SafeHtml {
  return renderFinder({
    action: PATH,
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
          html`<a href="${PATH}/${id}">${username}</a>${hasAdmin ? html` <span class="badge">${t('admin.account.admin')}</span>` : null}
<span class="small soft under">${email}</span>`,
      },
      { head: t('admin.account.plan'), cell: (account) => describePlan(account, now, zone) },
      {
        head: t('admin.status'),
        cell: (account) => t(`admin.account.states.${getAccountState(account)}`),
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
    html`<a class="button quiet" href="${PATH}">${t('admin.account.showAll')}</a>`,
  )
}

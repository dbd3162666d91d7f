import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../../../context.ts'
import { listOperatorUsers } from '../../../../operator/operator-users.service.ts'
import { t } from '../../../../texts.ts'
import { renderPager } from '../../kit/pager.ts'
import { renderBlank, renderFinder, renderUntitledPanel } from '../../kit/parts.ts'
import { buildPath, readPositiveInteger, readText } from '../../kit/query.ts'
import { renderTable } from '../../kit/table.ts'
import { formatCount } from '../../shell/format-count.ts'
import { formatDate } from '../../shell/format-day.ts'
import { defineAdminSubject } from '../layout.ts'

export const USERS_PATH = '/console/operator/users'
const PER_PAGE = 50

type Users = Awaited<ReturnType<typeof listOperatorUsers>>['entries']

/** Registers the list of all users, with a search. */
export function registerUserListRoute(app: FastifyInstance, { db }: HttpContext): void {
  const { page } = defineAdminSubject(app, USERS_PATH)

  page('/users', 'viewer', async ({ query, session }) => {
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
  })
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

function renderUsers(users: Users, zone: string): SafeHtml {
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

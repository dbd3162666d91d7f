import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { listMemberships, type Membership } from '../../identity/member.service.ts'
import { switchAccount } from '../../identity/session.service.ts'
import { t } from '../../texts.ts'
import { parsePathId } from '../request/path-id.ts'
import { renderButtonForm, renderUntitledPanel } from './kit/parts.ts'
import { defineSubject } from './kit/subject.ts'
import { renderTable } from './kit/table.ts'
import type { Frame } from './shell/layout.ts'
import { readFields } from './shell/send.ts'

const PATH = '/console/accounts'

/** Registers the list of a user's accounts, and the form that switches to one of them. */
export function registerSwitchRoutes(app: FastifyInstance, { db }: HttpContext): void {
  const { page, action } = defineSubject(app, PATH)

  page('/accounts', 'viewer', async ({ session }) => {
    const memberships = await listMemberships(db, session.user.id)
    return {
      title: t('accounts.title'),
      body: (frame) => html`<h1>${t('accounts.title')}</h1>
<p class="soft">${t('accounts.signedInAs', { email: frame.email })}</p>
${renderUntitledPanel(
  t('accounts.list'),
  renderTable(memberships, [
    { head: t('accounts.account'), cell: ({ username }) => username },
    { head: t('accounts.role'), cell: ({ role }) => t(`roles.${role}`) },
    {
      head: t('shell.actions'),
      hidden: true,
      cell: (membership) => renderAction(frame, membership, session.account.id),
    },
  ]),
)}`,
    }
  })

  action('/accounts/switch', 'viewer', async ({ body, session }) => {
    await switchAccount(
      { db, accountId: parsePathId(readFields(body, ['account']).account) },
      session,
    )
    return { to: '/console' }
  })
}

function renderAction(
  frame: Frame,
  { accountId, username, suspended }: Membership,
  currentAccountId: number,
): SafeHtml | string | null {
  if (accountId === currentAccountId) return t('accounts.current')
  if (suspended) return t('accounts.suspended')
  return renderButtonForm(frame, {
    action: `${PATH}/switch`,
    text: t('accounts.switch'),
    subject: t('accounts.switchTo', { account: username }),
    fields: { account: String(accountId) },
  })
}

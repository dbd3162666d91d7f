import type { FastifyInstance } from 'fastify'
import { countAccounts } from '../../../../accounts/account.service.ts'
import type { HttpContext } from '../../../../context.ts'
import type { AccountEntry } from '../../../../operator/operator-accounts.service.ts'
import { listOperatorAccounts } from '../../../../operator/operator-accounts.service.ts'
import { t } from '../../../../texts.ts'
import { pageFor } from '../../kit/roles.ts'
import { formatDate } from '../../shell/format-day.ts'
import { sendConsolePage } from '../../shell/send.ts'
import { buildPath, readPositiveInteger, readText } from '../query.ts'
import { describePlan, getAccountState } from './account-texts.ts'
import { ACCOUNT_FILTERS, type AccountRow, renderAccountsPage } from './page.ts'

const PATH = '/console/operator/accounts'
const PER_PAGE = 50

/** Registers the page that lists the accounts that match a search. */
export function registerAccountListRoute(app: FastifyInstance, ctx: HttpContext): void {
  const { clock } = ctx

  app.route({
    ...pageFor('viewer'),
    url: '/accounts',
    handler: async ({ query, session }, reply) => {
      const q = readText(query, 'q').slice(0, 254)
      const state = ACCOUNT_FILTERS.find((name) => name === readText(query, 'state')) ?? ''
      const before = readPositiveInteger(query, 'before')
      const after = before === undefined ? readPositiveInteger(query, 'after') : undefined
      const [total, page] = await Promise.all([
        countAccounts(ctx.db),
        listOperatorAccounts(
          ctx.db,
          { text: q, state: state || undefined },
          { before, after, limit: PER_PAGE },
        ),
      ])
      const buildPagePath = (cursor: { before?: number; after?: number }) =>
        buildPath(PATH, { q, state, ...cursor })
      return sendConsolePage(reply, (frame) =>
        renderAccountsPage(frame, {
          rows: page.entries.map((entry) => present(entry, clock(), session.user.timeZone)),
          total,
          notice: readText(query, 'done') === 'deleted' ? t('admin.account.deleted') : undefined,
          form: { q, state },
          newer: page.newer === undefined ? undefined : buildPagePath({ after: page.newer }),
          older: page.older === undefined ? undefined : buildPagePath({ before: page.older }),
        }),
      )
    },
  })
}

function present(account: AccountEntry, now: Date, zone: string): AccountRow {
  const { id, username, email, hasAdmin, links, registeredAt } = account
  return {
    id,
    username,
    email,
    hasAdmin,
    links,
    createdOn: formatDate(registeredAt, zone),
    plan: describePlan(account, now, zone),
    state: t(`admin.account.states.${getAccountState(account)}`),
  }
}

import type { FastifyInstance } from 'fastify'
import { switchAccount } from '../../../../accounts/session.service.ts'
import type { HttpContext } from '../../../../context.ts'
import { listMemberships } from '../../../../people/member.service.ts'
import { parsePathId } from '../../../request/path-id.ts'
import { formFor, pageFor } from '../../kit/roles.ts'
import { readFields, sendConsolePage } from '../../shell/send.ts'
import { renderAccountsPage } from './page.ts'

/** Registers the routes that list a user's accounts and switch to one of them. */
export function registerSwitchRoutes(app: FastifyInstance, { db }: HttpContext): void {
  app.route({
    ...pageFor('viewer'),
    url: '/accounts',
    handler: async ({ session }, reply) => {
      const memberships = await listMemberships(db, session.user.id)
      const currentAccountId = session.account.id
      return sendConsolePage(reply, (frame) =>
        renderAccountsPage(frame, { memberships, currentAccountId }),
      )
    },
  })

  app.post('/accounts/switch', formFor('viewer'), async (request, reply) => {
    const { account } = readFields(request.body, ['account'])
    await switchAccount(db, request.session, parsePathId(account))
    return reply.redirect('/console', 303)
  })
}

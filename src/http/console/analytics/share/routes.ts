import type { FastifyInstance, FastifyReply } from 'fastify'
import { getCampaign } from '../../../../campaigns/campaign.service.ts'
import type { HttpContext } from '../../../../context.ts'
import { getLink } from '../../../../links/link.service.ts'
import { revokePage, sharePage } from '../../../../shared-statistics/shared-statistics.service.ts'
import type { SharedSubject } from '../../../../shared-statistics/shared-statistics.ts'
import { parsePathId } from '../../../request/path-id.ts'
import { formFor } from '../../kit/roles.ts'
import { parseConsolePath } from '../../shell/console-path.ts'
import { readFields } from '../../shell/send.ts'
import { setToast } from '../../shell/toast.ts'
import type { AnalyticsRequest } from '../analytics.ts'

/** Registers the routes that create and revoke public pages with statistics. */
export function registerShareRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { db } = ctx
  for (const kind of ['link', 'campaign'] as const) {
    app.post(`/${kind}s/:id/share`, formFor('editor'), async (request: AnalyticsRequest, reply) => {
      const { account, user } = request.session
      await sharePage(db, account.id, toSharedSubject(kind, request), user.timeZone)
      setToast(reply, 'pageShared')
      return sendBack(reply, kind, request)
    })

    app.post(
      `/${kind}s/:id/unshare`,
      formFor('editor'),
      async (request: AnalyticsRequest, reply) => {
        const { account } = request.session
        const subject = toSharedSubject(kind, request)
        if (kind === 'link') await getLink(ctx, db, account.id, subject.id)
        else await getCampaign(db, account.id, subject.id)
        await revokePage(db, account.id, subject)
        setToast(reply, 'pageRevoked')
        return sendBack(reply, kind, request)
      },
    )
  }
}

function toSharedSubject(kind: SharedSubject['kind'], { params }: AnalyticsRequest): SharedSubject {
  return { kind, id: parsePathId(params.id) }
}

/** Redirects back to the statistics in the same state. */
function sendBack(
  reply: FastifyReply,
  kind: SharedSubject['kind'],
  { body, params }: AnalyticsRequest,
): FastifyReply {
  const path = `/console/${kind}s/${parsePathId(params.id)}`
  const back = parseConsolePath(readFields(body, ['back']).back)
  return reply.redirect(back?.split('?')[0] === path ? back : path, 303)
}

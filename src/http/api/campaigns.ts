import { Type } from '@sinclair/typebox'
import type { HttpContext } from '../../context.ts'
import { addLinkToCampaign } from '../../resources/campaign-links.ts'
import { campaigns } from '../../resources/campaigns.ts'
import { parsePathId } from '../request/path-id.ts'
import type { ApiApp } from './api-app.ts'
import type { RunOnce } from './idempotency.ts'
import { createOperations } from './resources.ts'
import { addErrorReplies, MessageReply } from './schemas.ts'

const AssignParams = Type.Object({
  campaignid: Type.String({ description: 'ID of the campaign.' }),
  linkid: Type.String({ description: 'ID of the link.' }),
})

export function registerCampaignRoutes(app: ApiApp, ctx: HttpContext, runOnce: RunOnce): void {
  const operations = createOperations(app, ctx, runOnce, campaigns)

  operations.list()
  operations.create()

  app.post(
    '/campaign/:campaignid/assign/:linkid',
    {
      config: { access: { scope: 'links' } },
      schema: {
        tags: [campaigns.api.tag],
        summary: 'Add a link to a campaign',
        params: AssignParams,
        response: addErrorReplies(MessageReply),
      },
    },
    async (request) => {
      const { scope, params } = request
      const campaignId = parsePathId(params.campaignid)
      const linkId = parsePathId(params.linkid)
      const message = 'Link has been added to the campaign successfully.'
      await scope.storage.require(scope)
      return runOnce(request, {
        work: (scope) => addLinkToCampaign(scope, campaignId, linkId),
        present: () => ({ error: 0 as const, message }),
      })
    },
  )

  operations.update()
  operations.remove()
}

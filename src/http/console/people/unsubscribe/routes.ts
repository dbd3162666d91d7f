import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../../context.ts'
import { unsubscribe } from '../../../../email-reports/subscription.service.ts'
import { pageRoute } from '../../../html/page-route.ts'
import { sendSignedOutPage } from '../../shell/send.ts'
import { renderUnsubscribedPage, renderUnsubscribePage } from './page.ts'

type UnsubscribeRequest = FastifyRequest<{ Params: { token: string } }>

const URL_PATTERN = '/unsubscribe/:token'
const MAX_BYTES = 16 * 1024

/**
 * Creates the plugin that stops email reports without a session: the token in the URL is sufficient.
 * Mail programs send the POST themselves, in either form encoding (RFC 8058, section 3.1). The reply is the same for every
 * token.
 */
export function createUnsubscribeRoutes({ db }: HttpContext) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    // The body is ignored.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: MAX_BYTES },
      (_request, _body, done) => done(null),
    )

    app.route({
      ...pageRoute,
      url: URL_PATTERN,
      handler: async (_request: UnsubscribeRequest, reply) =>
        sendSignedOutPage(reply, renderUnsubscribePage),
    })

    app.post(
      URL_PATTERN,
      { schema: { hide: true } },
      async ({ params }: UnsubscribeRequest, reply) => {
        await unsubscribe(db, params.token)
        return sendSignedOutPage(reply, renderUnsubscribedPage)
      },
    )
  }
}

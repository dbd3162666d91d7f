import { html } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { unsubscribe } from '../../email-reports/subscription.service.ts'
import { t } from '../../texts.ts'
import { sendSignedOutPage } from './kit/signed-out.ts'
import { type ConsoleRequest, defineSignedOutSubject } from './kit/subject.ts'

const URL_PATTERN = '/unsubscribe/:token'
const MAX_BYTES = 16 * 1024

/**
 * Creates the plugin that stops email reports without a session: the token in the URL is sufficient.
 * Mail programs send the POST themselves, in either form encoding and without a form token (RFC 8058,
 * section 3.1). The reply is the same for every token.
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

    defineSignedOutSubject(app).page(URL_PATTERN, 'everyone', async () => ({
      title: t('unsubscribe.title'),
      body: () => html`<h1>${t('unsubscribe.question')}</h1>
<p class="soft">${t('unsubscribe.hint')}</p>
<form method="post"><button class="button full">${t('unsubscribe.unsubscribe')}</button></form>`,
    }))

    app.post(URL_PATTERN, { schema: { hide: true } }, async ({ params }: ConsoleRequest, reply) => {
      await unsubscribe(db, params.token ?? '')
      return sendSignedOutPage(reply, {
        title: t('unsubscribe.title'),
        body: () => html`<h1>${t('unsubscribe.done')}</h1>
<p class="soft">${t('unsubscribe.doneHint')}</p>`,
      })
    })
  }
}

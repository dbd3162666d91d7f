import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { noSniffHeader } from '../../no-sniffing.ts'
import type { AnalyticsRequest } from '../analytics/analytics.ts'
import { registerListRoutes } from '../analytics/routes.ts'
import { pageFor } from '../kit/roles.ts'
import { parseStyle, readStyle } from './code-form.ts'
import { readLink, toLinkSubject } from './routes.ts'

/** Registers the routes of a link's statistics as pages and files, and of its QR code as a file. */
export function registerLinkDownloadRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { codeImages } = ctx

  registerListRoutes(app, ctx, '/links/:id', async (request) =>
    toLinkSubject(await readLink(ctx, request)),
  )

  for (const [format, type] of [
    ['png', 'image/png'],
    ['svg', 'image/svg+xml'],
    ['pdf', 'application/pdf'],
  ] as const) {
    app.route({
      ...pageFor('viewer'),
      url: `/links/:id/qr.${format}`,
      handler: async (request: AnalyticsRequest, reply) => {
        const link = await readLink(ctx, request)
        const { colors, size } = parseStyle(readStyle(request.query))
        const code = { payload: link.shortUrl, ...colors }
        const image = await codeImages.drawUnstored(code, { format, size }, request.ip)
        return reply
          .type(type)
          .headers({
            'content-disposition': `inline; filename="link-${link.id}.${format}"`,
            'content-security-policy': "default-src 'none'",
            'cache-control': 'private, max-age=300',
            ...noSniffHeader,
          })
          .send(image)
      },
    })
  }
}

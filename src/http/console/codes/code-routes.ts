import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { readPayload } from '../../../qr/content/read-payload.ts'
import { getQrCode, getQrDetails } from '../../../qr/qr.service.ts'
import type { QrCode } from '../../../qr/qr.ts'
import { t } from '../../../texts.ts'
import { parsePathId } from '../../request/path-id.ts'
import { type AnalyticsRequest, loadAnalytics } from '../analytics/analytics.ts'
import { registerListRoutes } from '../analytics/routes.ts'
import { chooseStatus } from '../analytics/section.ts'
import type { Subject } from '../analytics/subject.ts'
import { pageFor } from '../kit/roles.ts'
import { formatMoment } from '../shell/format-day.ts'
import { sendConsolePage } from '../shell/send.ts'
import { type CodePage, renderCodePage } from './code-page.ts'

/** Widths of downloaded images in pixels. */
const MIN_SIZE = 100
const DEFAULT_SIZE = 600
const MAX_SIZE = 2000

/** Registers the routes of a code's page, and of the lists of its statistics as pages and files. */
export function registerCodePageRoutes(app: FastifyInstance, ctx: HttpContext): void {
  app.route({
    ...pageFor('viewer'),
    url: '/codes/:id',
    handler: async (request: AnalyticsRequest, reply) => {
      const code = await getQrDetails(
        ctx,
        ctx.db,
        request.session.account.id,
        parsePathId(request.params.id),
      )
      const { id, name, type, content } = code
      const encoded = content.kind === 'dynamic' ? content.destination : content.payload
      const shortUrl = code.shortUrl ?? undefined
      const linkId = code.usesAccountLink ? (code.linkId ?? undefined) : undefined
      const size = readSize(request.query.size)
      const analytics =
        code.linkId === null
          ? undefined
          : await loadAnalytics(ctx, request, toSubject(request.session.account.id, code))
      const status = analytics ? chooseStatus(analytics) : 200
      return sendConsolePage(
        reply,
        (frame) =>
          renderCodePage(frame, {
            code: {
              id,
              name,
              createdAt: formatMoment(code.createdAt, request.session.user.timeZone),
              linkId,
            },
            content: { type, parts: readPayload(type, encoded), shortUrl },
            payload: shortUrl ?? encoded,
            imagePath: `/qr/${code.alias}`,
            fileName: `qr-code-${id}`,
            size,
            analytics,
          }),
        { status: size.error === undefined ? status : 422 },
      )
    },
  })

  registerListRoutes(app, ctx, '/codes/:id', async ({ session, params }) =>
    toSubject(
      session.account.id,
      await getQrCode(ctx, ctx.db, session.account.id, parsePathId(params.id)),
    ),
  )
}

/** Returns the code as a subject of statistics. Static codes have no link, so no clicks. */
function toSubject(accountId: number, { id, name, linkId, createdAt }: QrCode): Subject {
  return {
    kind: 'code',
    id,
    name,
    createdAt,
    path: `/console/codes/${id}`,
    section: '/console/codes',
    scope: { accountId, linkIds: linkId === null ? [] : [linkId] },
  }
}

/** Reads the requested size. An invalid one is returned with an error. */
function readSize(parameter: unknown): CodePage['size'] {
  const value = typeof parameter === 'string' && parameter !== '' ? parameter : String(DEFAULT_SIZE)
  const pixels = /^\d{3,4}$/.test(value) ? Number(value) : 0
  const size = { value, min: MIN_SIZE, max: MAX_SIZE }
  return pixels >= MIN_SIZE && pixels <= MAX_SIZE
    ? size
    : { ...size, error: t('code.sizeError', { min: MIN_SIZE, max: MAX_SIZE }) }
}

import type { FastifyInstance } from 'fastify'
import { sumTotals } from '../../../clicks/read.ts'
import type { HttpContext } from '../../../context.ts'
import { readPayload } from '../../../qr/content/read-payload.ts'
import { getQrCode, getQrDetails } from '../../../qr/qr.service.ts'
import type { QrDetails } from '../../../qr/qr.ts'
import { pageRoute } from '../../html/page-route.ts'
import { usualLook } from '../link/code-form.ts'
import { statisticsRoutes } from '../link/downloads.ts'
import type { LinkRequest } from '../link/link-page.ts'
import { readState } from '../link/state.ts'
import { readClicked, readStatistics } from '../link/statistics.ts'
import { pathId } from '../path-id.ts'
import { sendConsole } from '../send.ts'
import { formatMoment } from '../shell/format-day.ts'
import { type CodePage, codePage } from './code-page.ts'

const [MIN_SIZE, USUAL_SIZE, MAX_SIZE] = [100, 600, 2000]

/** The page of one code, and its statistics as pages and files. */
export function codePageRoutes(app: FastifyInstance, ctx: HttpContext): void {
  app.route({
    ...pageRoute,
    url: '/codes/:id',
    handler: async (request: LinkRequest, reply) => {
      const code = await getQrDetails(
        ctx,
        ctx.db,
        request.session.account.id,
        pathId(request.params.id),
      )
      const { id, name, scans, type, content } = code
      const said = content.kind === 'dynamic' ? content.target : content.payload
      const shortUrl = code.shortUrl ?? undefined
      const linkId = code.standsForLink ? (code.linkId ?? undefined) : undefined
      const size = readSize(request.query.size)
      const statistics = await statisticsOf(request, code)
      const isWrong = size.error !== undefined || statistics?.error !== undefined
      return sendConsole(
        reply,
        (frame) =>
          codePage(frame, {
            code: {
              id,
              name,
              scans,
              createdAt: formatMoment(code.createdAt, request.session.user.timeZone),
              linkId,
            },
            content: { type, parts: readPayload(type, said), shortUrl },
            payload: shortUrl ?? said,
            picture: `/qr/${code.alias}`,
            file: `qr-code-${id}`,
            size,
            statistics,
          }),
        { status: isWrong ? 422 : 200 },
      )
    },
  })

  statisticsRoutes(app, ctx, {
    section: '/console/codes',
    one: 'code',
    async read({ session, params }) {
      const { id, name, linkId, createdAt } = await getQrCode(
        ctx,
        ctx.db,
        session.account.id,
        pathId(params.id),
      )
      const clicked = await readClicked(ctx, linkId === null ? [] : [linkId], createdAt)
      return { id, name, clicked }
    },
  })

  /** The scans of a code that leads through a link. */
  async function statisticsOf({ query }: LinkRequest, { id, linkId, createdAt }: QrDetails) {
    if (linkId === null) return undefined
    const clicked = await readClicked(ctx, [linkId], createdAt)
    const all = await sumTotals(ctx.db, [linkId])
    return readStatistics(ctx, clicked, {
      state: { ...readState(query, clicked.calendar), look: usualLook },
      path: `/console/codes/${id}`,
      all,
    })
  }
}

function readSize(given: unknown): CodePage['size'] {
  const value = typeof given === 'string' && given !== '' ? given : String(USUAL_SIZE)
  const pixels = /^\d{3,4}$/.test(value) ? Number(value) : 0
  const bounds = { value, min: MIN_SIZE, max: MAX_SIZE }
  return pixels >= MIN_SIZE && pixels <= MAX_SIZE
    ? bounds
    : { ...bounds, error: `Must be a whole number from ${MIN_SIZE} to ${MAX_SIZE}.` }
}

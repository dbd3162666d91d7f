import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { generateAnswersCsv } from '../../../overlays/answers-csv.ts'
import { countChoices, getOverlay, listLatestAnswers } from '../../../overlays/overlay.service.ts'
import type { Overlay } from '../../../overlays/overlay.ts'
import { t } from '../../../texts.ts'
import { noSniffHeader } from '../../no-sniffing.ts'
import { parsePathId } from '../../request/path-id.ts'
import { formatTimestamp } from '../../timestamp.ts'
import { pageFor } from '../kit/roles.ts'
import { formatMoment } from '../shell/format-day.ts'
import { sendConsolePage } from '../shell/send.ts'
import { renderOverlayAnswersPage } from './answers-page.ts'

type OverlayRequest = FastifyRequest<{ Params: { id: string } }>

/** The maximum number of responses on the page. The file contains all of them. */
const MAX_ANSWERS = 100
/** The types of overlays that visitors can respond to. */
const INTERACTIVE_TYPES: readonly Overlay['type'][] = ['contact', 'poll', 'newsletter']

/** Registers the routes of an overlay's page, and of visitors' responses to it as a file. */
export function registerOverlayAnswerRoutes(app: FastifyInstance, ctx: HttpContext): void {
  app.route({
    ...pageFor('viewer'),
    url: '/overlays/:id',
    handler: async (request: OverlayRequest, reply) => {
      const { account, user } = request.session
      const overlay = await getOverlay(ctx.db, account.id, parsePathId(request.params.id))
      const answers = await listLatestAnswers(ctx.db, account.id, overlay.id, MAX_ANSWERS)
      const choices = overlay.type === 'poll' ? await countVotes(account.id, overlay) : undefined
      return sendConsolePage(reply, (frame) =>
        renderOverlayAnswersPage(frame, {
          overlay: { ...overlay, type: t(`overlay.types.${overlay.type}`) },
          linkType: `overlay-${overlay.id}`,
          choices,
          answers: answers.map(({ id, createdAt, answer }) => {
            return { id, date: formatMoment(createdAt, user.timeZone), answer }
          }),
          allowsAnswers: INTERACTIVE_TYPES.includes(overlay.type),
        }),
      )
    },
  })

  app.route({
    ...pageFor('editor'),
    url: '/overlays/:id/answers.csv',
    handler: async (request: OverlayRequest, reply) => {
      const lines = await generateAnswersCsv(
        ctx.db,
        request.session.account.id,
        parsePathId(request.params.id),
        formatTimestamp,
      )
      return reply
        .type('text/csv; charset=utf-8')
        .headers({
          ...noSniffHeader,
          'cache-control': 'private, no-store',
          'content-disposition': `attachment; filename="answers-${request.params.id}.csv"`,
        })
        .send(Readable.from(lines))
    },
  })

  /** Returns the votes for each option as `clicks`: in the order of the poll, then removed options. */
  async function countVotes(accountId: number, { id, options }: Overlay) {
    const choiceCounts = await countChoices(ctx.db, accountId, id)
    const counts = new Map(choiceCounts.map(({ choice, count }) => [choice, count]))
    const removedChoices = [...counts.keys()].filter((choice) => !options.includes(choice))
    return [...options, ...removedChoices].map((label) => ({
      label,
      clicks: counts.get(label) ?? 0,
    }))
  }
}

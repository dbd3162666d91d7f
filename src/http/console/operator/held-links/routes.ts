import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../../context.ts'
import { AppError } from '../../../../errors.ts'
import { listHeldLinks } from '../../../../holds/hold.service.ts'
import { type HeldLink, HOLD_DECISIONS, type HoldDecision } from '../../../../holds/hold.ts'
import { listHosts } from '../../../../links/link-destinations.ts'
import { decideHold } from '../../../../operator/hold-actions.service.ts'
import { t } from '../../../../texts.ts'
import { toAppError } from '../../../errors.ts'
import { parsePathId } from '../../../request/path-id.ts'
import { describeLabeledError } from '../../errors/labeled-error.ts'
import { formFor, pageFor } from '../../kit/roles.ts'
import { formatMoment } from '../../shell/format-day.ts'
import { readFields, sendConsolePage } from '../../shell/send.ts'
import { buildPath, readPositiveInteger, readText } from '../query.ts'
import { describeCounts, presentTexts } from '../reports/routes.ts'
import { type HeldLinkView, renderHeldLinksPage } from './page.ts'

const PATH = '/console/operator/held'
const PER_PAGE = 25

/**
 * Registers the routes of deleted links whose aliases and destinations stay reserved until an admin
 * decides.
 */
export function registerHeldLinkRoutes(app: FastifyInstance, ctx: HttpContext): void {
  app.route({
    ...pageFor('viewer'),
    url: '/held',
    handler: (request, reply) => sendHeldLinks(request, reply),
  })
  app.post('/held/:id', formFor('viewer'), decide)

  async function decide(
    request: FastifyRequest<{ Params: { id: string } }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { params, body, session } = request
    const id = parsePathId(params.id)
    const decision = parseDecision(readFields(body, ['decision']).decision)
    if (!decision) throw new AppError('invalid_input', t('admin.chooseAction'))
    try {
      await decideHold(ctx, ctx.db, session.user.email, id, decision)
      return reply.redirect(`${PATH}?done=${decision}`, 303)
    } catch (error) {
      const rejection = toAppError(error, reply.request)
      if (rejection.code !== 'not_found') throw rejection
      return sendHeldLinks(request, reply, rejection)
    }
  }

  async function sendHeldLinks(request: FastifyRequest, reply: FastifyReply, rejection?: AppError) {
    const { query, session } = request
    const confirmed = readText(query, 'show') === 'confirmed'
    const page = readPositiveInteger(query, 'page') ?? 1
    const slice = { limit: PER_PAGE, offset: (page - 1) * PER_PAGE }
    const { entries, total } = await listHeldLinks(ctx, ctx.db, { confirmed }, slice)
    const decision = parseDecision(readText(query, 'done'))
    const view = {
      links: entries.map((entry) => present(entry, session.user.timeZone)),
      showsConfirmed: confirmed,
      total,
      page,
      limit: PER_PAGE,
      notice: decision && t(`admin.heldLink.done.${decision}`),
      error: rejection && describeLabeledError(rejection),
      hrefOf: (other: number) =>
        buildPath(PATH, {
          show: confirmed ? 'confirmed' : undefined,
          page: other === 1 ? undefined : other,
        }),
    }
    const { status = 200 } = rejection ?? {}
    return sendConsolePage(reply, (frame) => renderHeldLinksPage(frame, view), { status })
  }
}

function parseDecision(text: string): HoldDecision | undefined {
  return HOLD_DECISIONS.find((candidate) => candidate === text)
}

function present(link: HeldLink, zone: string): HeldLinkView {
  const { disabled, confirmed, createdAt, deletedAt, destinations, reports, ...unchanged } = link
  const reason = disabled?.reason ? `: ${disabled.reason}` : ''
  return {
    ...unchanged,
    destinations,
    hosts: listHosts(destinations),
    createdAt: formatMoment(createdAt, zone),
    deletedAt: formatMoment(deletedAt, zone),
    disabled: disabled ? `${formatMoment(disabled.at, zone)}${reason}` : undefined,
    reports: reports.map(({ counts, texts, firstAt, lastAt }) => ({
      counts: describeCounts(counts),
      firstAt: formatMoment(firstAt, zone),
      lastAt: formatMoment(lastAt, zone),
      texts: presentTexts(texts, zone),
    })),
    confirmed: confirmed
      ? t('admin.heldLink.confirmedBy', {
          date: formatMoment(confirmed.at, zone),
          admin: confirmed.by,
        })
      : undefined,
  }
}

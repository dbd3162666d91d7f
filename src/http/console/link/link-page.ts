import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { getLink } from '../../../links/link.service.ts'
import { getGuesses } from '../../../links/link-list.service.ts'
import { pageRoute } from '../../html/page-route.ts'
import { pathId } from '../path-id.ts'
import { sendConsole } from '../send.ts'
import { formatDate, formatSecond } from '../shell/format-day.ts'
import { faultOfLook, lookParameters, usualLook } from './code-form.ts'
import { linkPage } from './page.ts'
import { addressOf, parametersOf, readState, type State } from './state.ts'
import { readClicked, readStatistics } from './statistics.ts'
import { statusOf } from './status.ts'

export type LinkRequest = FastifyRequest<{
  Params: { id: string }
  Querystring: Record<string, unknown>
}>

/** The link that a path names, with the days of its clicks. */
export async function readLink(ctx: HttpContext, request: LinkRequest) {
  const link = await getLink(ctx, ctx.db, request.session.account.id, pathId(request.params.id))
  return { link, clicked: await readClicked(ctx, [link.id], link.createdAt) }
}

/** The page of one link. */
export function linkPageRoute(app: FastifyInstance, ctx: HttpContext): void {
  const { blockList, clock } = ctx
  app.route({ ...pageRoute, url: '/links/:id', handler: sendLink })

  async function sendLink(request: LinkRequest, reply: FastifyReply) {
    const { link, clicked } = await readLink(ctx, request)
    const state = readState(request.query, clicked.calendar)
    const path = `/console/links/${link.id}`
    const zone = request.session.user.timeZone
    const all = { clicks: link.clicks, lastClickAt: link.lastClickAt }
    const [statistics, guesses] = await Promise.all([
      readStatistics(ctx, clicked, { state, path, all }),
      link.hasPassword ? getGuesses(ctx, ctx.db, link.accountId, link.id) : undefined,
    ])
    const hosts = await blockList.current()
    const kept = parametersOf({ ...state, look: usualLook }, clicked.calendar)
    return sendConsole(
      reply,
      (frame) =>
        linkPage(frame, {
          link: {
            ...link,
            title: link.metaTitle,
            archived: link.archivedAt !== null,
            created: { at: link.createdAt.toISOString(), day: formatDate(link.createdAt, zone) },
            status: statusOf(link, clock(), { hosts, zone }),
          },
          statistics,
          code: codeOf(state, path, kept),
          guesses: guesses && {
            ...guesses,
            waitsUntil: guesses.waitsUntil ? formatSecond(guesses.waitsUntil, zone) : undefined,
          },
        }),
      { status: statistics.error === undefined ? 200 : 422 },
    )
  }
}

function codeOf({ look }: State, path: string, kept: [string, string][]) {
  const error = faultOfLook(look)
  const parameters = error === undefined ? lookParameters(look) : []
  return {
    action: path,
    kept,
    ...look,
    error,
    picture: addressOf(`${path}/qr.svg`, parameters),
    png: addressOf(`${path}/qr.png`, parameters),
    svg: addressOf(`${path}/qr.svg`, parameters),
  }
}

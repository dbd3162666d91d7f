import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import type { VisitLink } from '../../links/link.ts'
import { bioPage } from '../../pages/bio.ts'
import { campaignPage } from '../../pages/campaign.ts'
import { findBioByAlias, findBioPicture } from '../../resources/bio-visits.ts'
import { drawCampaignLink, listPublicCampaign } from '../../resources/campaign-visits.ts'
import { shortUrlOf } from '../../urls/short-url.ts'
import { sendNotFound } from '../html/not-found.ts'
import { pageRoute } from '../html/page-route.ts'
import { sendVisitorPage } from '../html/send-page.ts'
import { matchesEntityTag } from '../request/entity-tag.ts'
import { noSniffHeader } from '../response-headers.ts'
import { isProtected } from './overlay-token.ts'
import type { Visit } from './visit.ts'

type Params<Name extends string> = FastifyRequest<{ Params: Record<Name, string> }>

const LINKS_PER_PAGE = 50

/** Registers the public URLs for groups of links: rotators, public campaigns and bio pages. */
export function registerPublicListRoutes(
  app: FastifyInstance,
  ctx: HttpContext,
  visit: Visit,
): void {
  const { config, visitLinks } = ctx

  app.route({ ...pageRoute, url: '/r/:slug', handler: redirectToCampaignLink })
  app.route({ ...pageRoute, url: '/u/:username/:id', handler: sendCampaign })
  app.route({ ...pageRoute, url: '/b/:alias', handler: sendBio })
  app.route({ ...pageRoute, url: '/b/:alias/picture.png', handler: sendPicture })

  async function redirectToCampaignLink(request: Params<'slug'>, reply: FastifyReply) {
    const drawnLink = await drawCampaignLink(ctx, ctx.db, request.params.slug)
    const link = drawnLink && (await visitLinks.find(drawnLink.domainId, drawnLink.alias))
    if (!link) return sendServiceNotFound(reply)
    if (drawnLink.domainId === null || isDirectRedirect(link))
      return visit.followAsync(request, reply, link)
    // On its own domain, the link's forms can post to it, and its click is counted.
    return reply.header('cache-control', 'private, no-store').redirect(link.shortUrl, 302)
  }

  async function sendCampaign(request: Params<'username' | 'id'>, reply: FastifyReply) {
    const { username, id } = request.params
    const page = readPage(request.query)
    const isWellFormed = /^[\w-]{2,32}$/.test(username) && /^[1-9]\d{0,14}$/.test(id)
    if (!isWellFormed || page === undefined) return sendServiceNotFound(reply)
    const range = { limit: LINKS_PER_PAGE, offset: (page - 1) * LINKS_PER_PAGE }
    const list = await listPublicCampaign(ctx, ctx.db, username, Number(id), range)
    const maxPage = Math.max(1, Math.ceil((list?.total ?? 0) / LINKS_PER_PAGE))
    if (!list || page > maxPage) return sendServiceNotFound(reply)
    return sendVisitorPage(reply, (context) =>
      campaignPage({
        ...context,
        name: list.name,
        username: list.username,
        links: list.entries,
        page,
        maxPage,
      }),
    )
  }

  async function sendBio(request: Params<'alias'>, reply: FastifyReply) {
    const bio = await findBioByAlias(ctx, ctx.db, request.params.alias)
    if (!bio) return sendServiceNotFound(reply)
    const { title, text, theme, color, pictureHash: hash } = bio
    const pictureUrl = new URL(
      `${shortUrlOf(`${config.baseUrl}/b`, bio.alias)}/picture.png?v=${hash}`,
    )
    const links = bio.links.map(({ title, url, alias }) => ({
      title,
      url,
      path: alias && `/${alias}`,
    }))
    return sendVisitorPage(
      reply,
      (context) =>
        bioPage({
          ...context,
          title,
          text,
          theme,
          color,
          links,
          ...(hash && {
            picture: pictureUrl.pathname + pictureUrl.search,
            pictureUrl: pictureUrl.href,
          }),
        }),
      { headers: { 'x-robots-tag': 'all' } },
    )
  }

  async function sendPicture(request: Params<'alias'>, reply: FastifyReply) {
    const bioPicture = await findBioPicture(ctx, ctx.db, request.params.alias)
    if (!bioPicture) return sendServiceNotFound(reply)
    const { picture, hash } = bioPicture
    const etag = `"${hash}"`
    reply.headers({ etag, 'cache-control': 'public, max-age=300', ...noSniffHeader })
    if (matchesEntityTag(request.headers['if-none-match'] ?? '', etag))
      return reply.code(304).send()
    return reply
      .type('image/png')
      .header('content-security-policy', "default-src 'none'")
      .send(picture)
  }

  function sendServiceNotFound(reply: FastifyReply): FastifyReply {
    return sendNotFound(ctx, reply, { kind: 'service' })
  }
}

/** Returns whether a link redirects every client without showing a page. */
function isDirectRedirect(link: VisitLink): boolean {
  return !isProtected(link) && !link.needsConfirmation && link.redirect === 'direct'
}

function readPage(query: unknown): number | undefined {
  const { page = '1' } = query as { page?: unknown }
  return typeof page === 'string' && /^[1-9]\d{0,8}$/.test(page) ? Number(page) : undefined
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import {
  APP_LINK_NAMES,
  APP_LINKS,
  type AppLinkName,
  findAppLink,
} from '../../domains/app-links.ts'
import { PROOF_PATH } from '../../domains/domain-proof.ts'
import { avatar } from '../../pages/avatar.ts'
import { favicon, faviconPath } from '../../pages/brand-mark.ts'
import { homePage } from '../../pages/home.ts'
import { robotsTxt } from '../../pages/robots.ts'
import { toFollowableHref } from '../../urls/destination-url.ts'
import { sendNotFound } from '../html/not-found.ts'
import { pageRoute } from '../html/page-route.ts'
import { sendVisitorPage } from '../html/send-page.ts'
import { noSniffHeader } from '../response-headers.ts'

const CACHE_ONE_DAY = 'public, max-age=86400'

/** Registers the root page, the icon and robots.txt, which exist on every host. */
export function registerSiteRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { config, hosts } = ctx

  app.route({ ...pageRoute, url: '/', handler: sendRoot })
  for (const url of [faviconPath, '/favicon.ico']) {
    app.route({ ...pageRoute, url, handler: async (_request, reply) => sendSvg(reply, favicon()) })
  }
  app.route({
    ...pageRoute,
    url: '/robots.txt',
    handler: async (_request, reply) =>
      reply
        .type('text/plain; charset=utf-8')
        .headers({ 'cache-control': CACHE_ONE_DAY, ...noSniffHeader })
        .send(robotsTxt(ctx.clients.previewNames)),
  })

  async function sendRoot(request: FastifyRequest, reply: FastifyReply) {
    const host = await hosts.resolve(request.headers.host ?? '')
    const redirectUrl =
      host.kind === 'domain' ? toFollowableHref(host.domain.redirectRoot ?? '') : undefined
    if (redirectUrl) {
      return reply.header('cache-control', 'private, no-store').redirect(redirectUrl, 302)
    }
    if (host.kind !== 'service') return sendNotFound(ctx, reply, host)
    const { registrationOpen, console } = config
    return sendVisitorPage(
      reply,
      (context) =>
        homePage({
          ...context,
          isRegistrationOpen: registrationOpen,
          hasConsole: console,
          siteName: config.siteName,
        }),
      {
        headers: { 'x-robots-tag': 'all' },
      },
    )
  }
}

/**
 * Registers `/avatar/<username>.svg`. The image depends only on the name, so it does not reveal
 * which names are registered.
 */
export function registerAvatarRoute(app: FastifyInstance, ctx: HttpContext): void {
  app.route({
    ...pageRoute,
    url: '/avatar/:file',
    handler: async (request: FastifyRequest<{ Params: { file: string } }>, reply) => {
      const name = /^([A-Za-z0-9_-]{2,32})\.svg$/.exec(request.params.file)?.[1]
      return name ? sendSvg(reply, avatar(name)) : sendNotFound(ctx, reply, { kind: 'service' })
    },
  })
}

function sendSvg(reply: FastifyReply, text: string): FastifyReply {
  return reply
    .type('image/svg+xml')
    .headers({
      'cache-control': CACHE_ONE_DAY,
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      ...noSniffHeader,
    })
    .send(text)
}

/** Registers the route for the token that proves that a host points to this installation. */
export function registerWellKnownRoutes(app: FastifyInstance, { instance }: HttpContext): void {
  app.get(PROOF_PATH, { schema: { hide: true } }, async (_request, reply) =>
    reply
      .type('text/plain; charset=utf-8')
      .headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
      .send(instance.token),
  )
}

/**
 * Registers the routes for the files that make links on a branded domain open in apps. The files are
 * served directly, because apps do not follow redirects.
 */
export function registerAppLinkRoutes(app: FastifyInstance, ctx: HttpContext): void {
  for (const name of APP_LINK_NAMES) {
    app.route({
      ...pageRoute,
      url: APP_LINKS[name].path,
      handler: (request, reply) => sendAppLink(request, reply, name),
    })
  }

  async function sendAppLink(
    request: FastifyRequest,
    reply: FastifyReply,
    name: AppLinkName,
  ): Promise<FastifyReply> {
    const host = await ctx.hosts.resolve(request.headers.host ?? '')
    const text =
      host.kind === 'domain' ? await findAppLink(ctx, ctx.db, host.domain.host, name) : null
    if (text === null) return sendNotFound(ctx, reply, { kind: 'unknown' })
    return reply
      .header('content-type', 'application/json')
      .headers({ 'cache-control': 'public, max-age=300', ...noSniffHeader })
      .send(Buffer.from(text))
  }
}

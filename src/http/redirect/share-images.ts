import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { findShareImage } from '../../links/share-images/share-images.ts'
import { sendNotFound } from '../html/not-found.ts'
import { pageRoute } from '../html/page-route.ts'
import { matchesEntityTag } from '../request/entity-tag.ts'
import { noSniffHeader } from '../response-headers.ts'

type Request = FastifyRequest<{ Params: { file: string } }>

/** Registers `/static/<hash>.jpg`: the images that link previews show. */
export function registerShareImageRoutes(app: FastifyInstance, ctx: HttpContext): void {
  app.route({ ...pageRoute, url: '/static/:file', handler: sendImage })

  async function sendImage(request: Request, reply: FastifyReply) {
    const host = await ctx.hosts.resolve(request.headers.host ?? '')
    const [, hash] = /^([0-9a-f]{32})\.jpg$/.exec(request.params.file) ?? []
    const mayExist = hash !== undefined && host.kind !== 'unknown'
    const image = mayExist ? await findShareImage(ctx.db, hash) : undefined
    if (!image) return sendNotFound(ctx, reply, host)
    const etag = `"${hash}"`
    reply.headers({ etag, 'cache-control': 'public, max-age=3600', ...noSniffHeader })
    if (matchesEntityTag(request.headers['if-none-match'] ?? '', etag))
      return reply.code(304).send()
    return reply
      .type('image/jpeg')
      .header('content-security-policy', "default-src 'none'")
      .send(image)
  }
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { normalizeAlias } from '../../urls/alias.ts'
import { sendNotFound } from '../html/not-found.ts'
import { matchesEntityTag } from '../request/entity-tag.ts'

type Request = FastifyRequest<{ Params: { file: string }; Querystring: { size?: unknown } }>

const DEFAULT_SIZE = 300
const MIN_SIZE = 100
const MAX_SIZE = 2000

const contentTypes = { png: 'image/png', svg: 'image/svg+xml', pdf: 'application/pdf' } as const
type Format = keyof typeof contentTypes

/**
 * Registers `/qr/<alias>`, optionally with `.png`, `.svg` or `.pdf`: the image of a QR code. Requesting
 * it does not count as a scan.
 */
export function registerQrImageRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { codeImages, hosts } = ctx

  app.route({
    method: ['GET', 'HEAD'],
    url: '/qr/:file',
    schema: { hide: true },
    handler: sendImage,
  })

  async function sendImage(request: Request, reply: FastifyReply) {
    const host = await hosts.resolve(request.headers.host ?? '')
    const file = readFileName(request.params.file)
    if (!file || host.kind === 'unknown') return sendNotFound(ctx, reply, host)
    const size = readSize(request.query.size)
    if (size === undefined) {
      return reply
        .code(400)
        .type('text/plain; charset=utf-8')
        .headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
        .send(`size must be a whole number from ${MIN_SIZE} to ${MAX_SIZE}\n`)
    }
    const ifNoneMatch = request.headers['if-none-match'] ?? ''
    const options = { format: file.format, size }
    const isCached = (etag: string) => matchesEntityTag(ifNoneMatch, etag)
    const image = await codeImages.find(file.alias, options, isCached, request.ip)
    if (!image) return sendNotFound(ctx, reply, host)
    reply.headers({
      etag: image.etag,
      'cache-control': 'public, max-age=300',
      'x-content-type-options': 'nosniff',
    })
    if (!image.body) return reply.code(304).send()
    return reply
      .type(contentTypes[file.format])
      .header('content-security-policy', "default-src 'none'; img-src data:")
      .send(image.body)
  }
}

function readFileName(file: string): { alias: string; format: Format } | undefined {
  const [, name = '', format = 'png'] = /^([^.]+)(?:\.(png|svg|pdf))?$/.exec(file) ?? []
  const alias = normalizeAlias(name)
  return alias === undefined ? undefined : { alias, format: format as Format }
}

function readSize(value: unknown): number | undefined {
  if (value === undefined || value === '') return DEFAULT_SIZE
  const size = typeof value === 'string' && /^\d{3,4}$/.test(value) ? Number(value) : 0
  return size >= MIN_SIZE && size <= MAX_SIZE ? size : undefined
}

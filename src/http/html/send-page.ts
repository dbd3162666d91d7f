import { randomBytes } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import type { VisitLink } from '../../links/link.ts'
import { withBrand } from '../../pages/branding.ts'
import { type CspExtras, contentSecurityPolicy } from '../../pages/csp.ts'
import { type Language, languageOf, languages, type PageContext } from '../../pages/language.ts'
import { styleHash } from '../../pages/style.ts'

type Draw = (nonce: string) => string

type Options = { status?: number; policy?: CspExtras; headers?: Record<string, string> }

/** Sends a page with the common headers and a new nonce in its policy. */
export function sendPage(reply: FastifyReply, draw: Draw, options: Options = {}): FastifyReply {
  const { status = 200, policy = {}, headers = {} } = options
  const nonce = randomBytes(16).toString('base64')
  return reply
    .code(status)
    .headers({ ...headersWith(contentSecurityPolicy({ nonce, ...policy })), ...headers })
    .send(draw(nonce))
}

/** Sends a page in the visitor's language. */
export function sendVisitorPage(
  reply: FastifyReply,
  draw: (context: PageContext) => string,
  { headers = {}, ...options }: Options = {},
): FastifyReply {
  const language = languageOf(reply.request.headers['accept-language'])
  const brand = reply.server.brandOf(reply.request)
  const branded: Draw = (nonce) => {
    const document = draw({ nonce, language })
    return brand ? withBrand(document, brand) : document
  }
  return sendPage(reply, branded, {
    ...options,
    headers: { ...byLanguage, ...headers },
  })
}

const byLanguage = { vary: 'Accept-Language' }

/**
 * Renders a page without scripts once per language, for very cheap replies. Its policy allows the
 * style by hash, because a nonce must not be reused.
 */
export function prepareVisitorPage(
  draw: (context: { language: Language; nonce?: string }) => string,
  { status = 200, policy = {}, headers = {} }: Options,
): (reply: FastifyReply) => FastifyReply {
  const common = headersWith(contentSecurityPolicy({ styleHash, ...policy }))
  const bodies = new Map(languages.map((language) => [language, Buffer.from(draw({ language }))]))
  return (reply) => {
    if (reply.server.brandOf(reply.request)) {
      return sendVisitorPage(reply, draw, { status, policy, headers })
    }
    const language = languageOf(reply.request.headers['accept-language'])
    return reply
      .code(status)
      .headers({ ...common, ...byLanguage, ...headers })
      .send(bodies.get(language))
  }
}

function headersWith(policy: string): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'private, no-store',
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
  }
}

/**
 * Returns the path that a link's forms post to. A path stays on the visitor's host, which browsers
 * require of same-site forms.
 */
export function formAction({ alias }: VisitLink): string {
  return `/${encodeURIComponent(alias)}`
}

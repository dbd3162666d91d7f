import { randomBytes } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { memo } from '../../concurrency/memo.ts'
import type { VisitLink } from '../../links/link.ts'
import { withBrand, withSiteName } from '../../pages/branding.ts'
import { type CspExtras, contentSecurityPolicy } from '../../pages/csp.ts'
import { styleHash } from '../../pages/style.ts'
import { chooseLanguage, type Language, languages, type PageContext } from '../../pages/texts.ts'
import { toAliasPath } from '../../urls/short-url.ts'

type Render = (nonce: string) => string

type Options = { status?: number; policy?: CspExtras; headers?: Record<string, string> }

/** Sends a page with the common headers and a Content Security Policy with a new nonce. */
export function sendPage(reply: FastifyReply, render: Render, options: Options = {}): FastifyReply {
  const { status = 200 } = options
  const renderNamed: Render = (nonce) => withSiteName(render(nonce), reply.server.siteName)
  const { headers, body } = renderPage(renderNamed, options)
  return reply.code(status).headers(headers).send(body)
}

/** Renders a page like `sendPage`, for a reply without Fastify. */
export function renderPage(render: Render, { policy = {}, headers = {} }: Options = {}) {
  const nonce = randomBytes(16).toString('base64')
  const common = createPageHeaders(contentSecurityPolicy({ nonce, ...policy }))
  return { headers: { ...common, ...headers }, body: render(nonce) }
}

/** Sends a page in the visitor's language. */
export function sendVisitorPage(
  reply: FastifyReply,
  render: (context: PageContext) => string,
  { headers = {}, ...options }: Options = {},
): FastifyReply {
  const language = chooseLanguage(reply.request.headers['accept-language'])
  const brand = reply.server.brandOf(reply.request)
  const renderBranded: Render = (nonce) => {
    const document = render({ nonce, language })
    return brand ? withBrand(document, brand) : document
  }
  return sendPage(reply, renderBranded, {
    ...options,
    headers: { ...varyByLanguage, ...headers },
  })
}

const varyByLanguage = { vary: 'Accept-Language' }

/**
 * Renders a page without scripts once per language and returns a function that sends it, which is
 * cheap. The policy allows the style by hash, because a nonce must not be reused. On hosts with a
 * brand, the page is rendered for each request.
 */
export function prepareVisitorPage(
  render: (context: { language: Language; nonce?: string }) => string,
  { status = 200, policy = {}, headers = {} }: Options,
): (reply: FastifyReply) => FastifyReply {
  const common = createPageHeaders(contentSecurityPolicy({ styleHash, ...policy }))
  const bodiesOf = memo(
    (siteName: string) =>
      new Map(
        languages.map((language) => [
          language,
          Buffer.from(withSiteName(render({ language }), siteName)),
        ]),
      ),
  )
  return (reply) => {
    if (reply.server.brandOf(reply.request)) {
      return sendVisitorPage(reply, render, { status, policy, headers })
    }
    const language = chooseLanguage(reply.request.headers['accept-language'])
    return reply
      .code(status)
      .headers({ ...common, ...varyByLanguage, ...headers })
      .send(bodiesOf(reply.server.siteName).get(language))
  }
}

function createPageHeaders(policy: string): Record<string, string> {
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
 * Returns the path of a link for forms on its pages. A full URL could name another host than the
 * visitor's, and the policy allows forms to post only to the same host.
 */
export function buildLinkPath({ alias }: VisitLink): string {
  return toAliasPath(alias)
}

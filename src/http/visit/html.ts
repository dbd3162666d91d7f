import { randomBytes } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import type { VisitLink } from '../../links/link.ts'
import { type CspExtras, contentSecurityPolicy } from '../../pages/csp.ts'

type Draw = (nonce: string) => string

type Options = { status?: number; policy?: CspExtras; headers?: Record<string, string> }

/** Sends a page with the headers that all pages share, its policy's nonce made for this reply alone. */
export function sendPage(reply: FastifyReply, draw: Draw, options: Options = {}): FastifyReply {
  const { status = 200, policy = {}, headers = {} } = options
  const nonce = randomBytes(16).toString('base64')
  return reply
    .code(status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-store',
      'content-security-policy': contentSecurityPolicy({ nonce, ...policy }),
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
      ...headers,
    })
    .send(draw(nonce))
}

/**
 * Where the forms of a link post to: its path on whichever name of its host the visitor came by, for
 * another name would be another site to the browser.
 */
export function formAction({ alias }: VisitLink): string {
  return `/${encodeURIComponent(alias)}`
}

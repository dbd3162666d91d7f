import { parse } from 'node:querystring'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import type { TextKey } from '../../texts.ts'

/**
 * Returns the text of a request body, without a byte order mark. A lenient decoder would replace
 * broken bytes, and the result would be stored.
 *
 * @throws AppError `unsupported_media_type` if the body declares another charset than UTF-8,
 *   `malformed_request` if it is not UTF-8
 */
export function decodeBody({ headers }: Pick<FastifyRequest, 'headers'>, body: Buffer): string {
  const declared = (headers['content-type'] ?? '').matchAll(/;\s*charset\s*=\s*["']?([^"';\s]+)/gi)
  for (const [, charset = ''] of declared) {
    if (!/^utf-?8$/i.test(charset)) {
      throw new AppError('unsupported_media_type', { text: 'rejections.body_other_charset' })
    }
  }
  return decodeUtf8(body)
}

/**
 * Decodes bytes strictly as UTF-8.
 *
 * @throws AppError `malformed_request`
 */
export function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new AppError('malformed_request', { text: 'rejections.body_not_utf8', cause })
  }
}

/**
 * Throws AppError `malformed_request` with the text `rejection` if the escapes in a URL-encoded text
 * are not UTF-8. Escapes
 * that are incomplete, such as `%zz`, stand for themselves.
 */
export function requireUtf8Escapes(
  text: string,
  rejection: TextKey = 'rejections.body_not_utf8',
): void {
  for (const [escapes] of text.matchAll(/(?:%[0-9a-f]{2})+/gi)) {
    try {
      decodeURIComponent(escapes)
    } catch (cause) {
      throw new AppError('malformed_request', { text: rejection, cause })
    }
  }
}

/** Parses the URL-encoded forms of a scope. Names that are repeated become lists. */
export function parseUrlEncodedForms(app: FastifyInstance, bodyLimit: number): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer', bodyLimit },
    (request, body: Buffer, done) => {
      try {
        const text = decodeBody(request, body)
        requireUtf8Escapes(text)
        done(null, parse(text, '&', '=', { maxKeys: 0 }))
      } catch (error) {
        done(error as Error)
      }
    },
  )
}

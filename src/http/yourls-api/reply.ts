import type { FastifyReply } from 'fastify'
import { isCallback, wrapJsonp } from '../jsonp.ts'
import { buildXml, replaceAllForbidden } from '../xml-document.ts'

/** Nested texts of a YOURLS reply. */
export type Data = { readonly [name: string]: string | Data }

/**
 * A reply. `data` contains the HTTP status as `statusCode` or `errorCode`; the default is 200.
 * `simple` is the reply in the format `simple`.
 */
export type YourlsReply = { data: Data; simple: string }

/**
 * Sends a reply in the requested format. As in YOURLS, the default is XML, and the reply to an
 * unknown format is plain text.
 */
export function sendYourlsReply(
  reply: FastifyReply,
  { data, simple }: YourlsReply,
  { format = 'xml', callback = '' }: { format?: string; callback?: string },
): FastifyReply {
  const { statusCode, errorCode } = data
  reply.code(Number(statusCode || errorCode || 200))
  const requestedFormat = format.toLowerCase()
  if (requestedFormat === 'jsonp' && isCallback(callback)) {
    const script = wrapJsonp(callback, { ...data, callback })
    return reply.type('application/javascript; charset=utf-8').send(script)
  }
  if (requestedFormat === 'json' || requestedFormat === 'jsonp') {
    return reply.type('application/json; charset=utf-8').send(data)
  }
  if (requestedFormat !== 'xml') return reply.type('text/plain; charset=utf-8').send(simple)
  const document = {
    '?xml': { '@_version': '1.0', '@_encoding': 'UTF-8' },
    root: replaceAllForbidden(data),
  }
  return reply.type('application/xml; charset=utf-8').send(buildXml(document))
}

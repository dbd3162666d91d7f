import type { FastifyReply } from 'fastify'
import { isCallback, jsonp } from '../jsonp.ts'
import { buildXml, textOnly } from '../xml-document.ts'

/** Nested texts of a YOURLS reply. */
export type Data = { readonly [name: string]: string | Data }

/**
 * A reply. `data` contains the status as text, 200 if absent. `simple` is the whole reply in the
 * format `simple`.
 */
export type Answer = { data: Data; simple: string }

/**
 * Sends an answer in the requested format like YOURLS: XML by default, plain text for an unknown
 * format.
 */
export function sendAnswer(
  reply: FastifyReply,
  { data, simple }: Answer,
  { format = 'xml', callback = '' }: { format?: string; callback?: string },
): FastifyReply {
  const { statusCode, errorCode } = data
  reply.code(Number(statusCode || errorCode || 200))
  const wanted = format.toLowerCase()
  if (wanted === 'jsonp' && isCallback(callback)) {
    const script = jsonp(callback, { ...data, callback })
    return reply.type('application/javascript; charset=utf-8').send(script)
  }
  if (wanted === 'json' || wanted === 'jsonp') {
    return reply.type('application/json; charset=utf-8').send(data)
  }
  if (wanted !== 'xml') return reply.type('text/plain; charset=utf-8').send(simple)
  const document = { '?xml': { '@_version': '1.0', '@_encoding': 'UTF-8' }, root: textOnly(data) }
  return reply.type('application/xml; charset=utf-8').send(buildXml(document))
}

import type { FastifyReply } from 'fastify'
import { isCallback, jsonp } from '../jsonp.ts'
import { buildXml, textOnly } from '../xml-document.ts'

/** What YOURLS has in a reply: texts, and texts within texts. */
export type Data = { readonly [name: string]: string | Data }

/** A reply: `data` has the status as text, 200 without one; `simple` is all that this format shows. */
export type Answer = { data: Data; simple: string }

/** Sends an answer as YOURLS does: in XML where no format is named, as bare text where it is unknown. */
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

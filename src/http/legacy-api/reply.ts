import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { messageWith } from '../../errors.ts'
import { createErrorHeaders, toAppError } from '../errors.ts'
import { secrecyHeaders } from '../secrecy.ts'
import { formatTimestamp } from '../timestamp.ts'
import { fieldNames } from './field-names.ts'
import { type LegacyFormat, readFormat } from './grammar.ts'
import { streamJsonList } from './json-stream.ts'
import { presentError } from './present.ts'
import { renderXml, streamXmlList, type XmlData } from './xml.ts'

const contentTypes: Record<LegacyFormat, string> = {
  json: 'application/json; charset=utf-8',
  xml: 'text/xml; charset=utf-8',
}

/** Sends `data` with `code`, which is also the HTTP status. `now` is the time of the call. */
export function sendData(
  request: FastifyRequest,
  reply: FastifyReply,
  { format, code, data, now }: { format: LegacyFormat; code: number; data: XmlData; now: Date },
): FastifyReply {
  const body =
    format === 'json'
      ? { code, data }
      : renderXml({ ...createEnvelopeFields(request, now), code, data })
  return reply.code(code).type(contentTypes[format]).send(body)
}

/**
 * Streams the short URLs. If the source fails after the reply has started, the connection is
 * closed, so that clients do not mistake a partial list for a complete one.
 */
export function sendList(
  request: FastifyRequest,
  reply: FastifyReply,
  { format, shortUrls, now }: { format: LegacyFormat; shortUrls: AsyncIterable<string>; now: Date },
): FastifyReply {
  const meta = { ...createEnvelopeFields(request, now), code: 200, dateTime: formatTimestamp(now) }
  const chunks =
    format === 'json' ? streamJsonList(meta, shortUrls) : streamXmlList(meta, shortUrls)
  // The unit is chunks: at most two are buffered for a slow reader.
  return reply.type(contentTypes[format]).send(Readable.from(chunks, { highWaterMark: 2 }))
}

/** Sends an error in this API's envelope, in the format of the path. */
export function sendLegacyError(
  { clock }: Pick<HttpContext, 'clock'>,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const error = toAppError(thrown, request)
  const now = clock()
  return sendData(request, reply.headers({ ...secrecyHeaders, ...createErrorHeaders(error) }), {
    format: readFormat(readRawPath(request)),
    code: error.status,
    data: presentError(messageWith(fieldNames, error), now),
    now,
  })
}

/** Returns the raw path without the query. */
export function readRawPath({ raw }: FastifyRequest): string {
  return (raw.url ?? '').split('?', 1)[0] ?? ''
}

function createEnvelopeFields({ ip }: FastifyRequest, now: Date) {
  return { client: ip, time: Math.floor(now.getTime() / 1000) }
}

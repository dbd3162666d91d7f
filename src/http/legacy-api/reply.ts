import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { type FieldNames, messageWith } from '../../errors.ts'
import { FIELD_NAMES, FIELDS } from '../../links/fields.ts'
import { joinChunks } from '../chunks.ts'
import { createErrorHeaders, toAppError } from '../errors.ts'
import { secrecyHeaders } from '../response-headers.ts'
import { formatTimestamp } from '../timestamp.ts'
import { buildXml, replaceForbidden } from '../xml-document.ts'
import { type LegacyFormat, readFormat } from './grammar.ts'
import { presentError } from './operations.ts'

type JsonListMeta = {
  code: number
  /** Date and time of the call, `YYYY-MM-DD HH:MM:SS`. */
  dateTime: string
}

/** The legacy API's names of fields that have a different name internally. */
export const fieldNames: FieldNames = {
  ...Object.fromEntries(
    FIELD_NAMES.flatMap((name) => {
      const { legacy = name } = FIELDS[name]
      return legacy === name ? [] : [[name, legacy]]
    }),
  ),
  alias: 'custom_url',
  domain: 'base_domain',
}

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

/**
 * Streams `{code, data: {urls: [{short_url}…], date_time}}` in chunks, reading the short URLs on
 * demand. An error in the source ends the stream with that error. If the reader stops early, the
 * source is closed.
 */
export function streamJsonList(
  meta: JsonListMeta,
  shortUrls: AsyncIterable<string>,
): AsyncGenerator<string> {
  return joinChunks(generateJson(meta, shortUrls))
}

async function* generateJson({ code, dateTime }: JsonListMeta, shortUrls: AsyncIterable<string>) {
  yield `{"code":${JSON.stringify(code)},"data":{"urls":[`
  let separator = ''
  for await (const shortUrl of shortUrls) {
    yield separator + JSON.stringify({ short_url: shortUrl })
    separator = ','
  }
  yield `],"date_time":${JSON.stringify(dateTime)}}}`
}

type Field = string | number | boolean | null
type Item = Readonly<Record<string, Field>>

/** The fields of a reply. The elements of a list are named after the list, without its last letter. */
export type XmlData = Readonly<Record<string, Field | readonly Item[]>>

type XmlMeta = {
  /** The caller's IP address. */
  client: string
  /** The time of the reply in Unix seconds. */
  time: number
  code: number
}

/**
 * Renders a reply as XML 1.0: `message` with the attributes `client` and `time`, containing
 * `response` with `code` and `data`. Characters that XML does not allow become U+FFFD.
 */
export function renderXml({ client, time, code, data }: XmlMeta & { data: XmlData }): string {
  const fields = Object.entries(data).map(([name, value]) => [name, toElement(name, value)])
  return buildXml({
    '?xml': { '@_version': '1.0', '@_encoding': 'UTF-8' },
    message: {
      '@_client': toContent(client),
      '@_time': time,
      response: { code, data: Object.fromEntries(fields) },
    },
  })
}

/**
 * Streams the same document as `renderXml` for the data `urls` and `date_time`, reading the short
 * URLs on demand. An error in the source ends the stream with that error. If the reader stops
 * early, the source is closed.
 */
export function streamXmlList(
  meta: XmlMeta & { dateTime: string },
  shortUrls: AsyncIterable<string>,
): AsyncGenerator<string> {
  return joinChunks(generateXml(meta, shortUrls))
}

async function* generateXml(
  { dateTime, ...meta }: XmlMeta & { dateTime: string },
  shortUrls: AsyncIterable<string>,
) {
  const frame = renderXml({ ...meta, data: { urls: [], date_time: dateTime } })
  // Content is escaped, so the first closing tag is that of the list.
  const insertAt = frame.indexOf('</urls>')
  yield frame.slice(0, insertAt)
  for await (const shortUrl of shortUrls)
    yield buildXml({ url: { short_url: toContent(shortUrl) } })
  yield frame.slice(insertAt)
}

function toElement(name: string, value: Field | readonly Item[]) {
  return isList(value) ? { [name.slice(0, -1)]: value.map(toItem) } : toContent(value)
}

function isList(value: Field | readonly Item[]): value is readonly Item[] {
  return Array.isArray(value)
}

function toItem(item: Item) {
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, toContent(value)] as const),
  )
}

function toContent(value: Field): string | number | boolean {
  if (value === null) return ''
  return typeof value === 'string' ? replaceForbidden(value) : value
}

import type { FastifyReply } from 'fastify'
import { type AppError, messageWith } from '../../errors.ts'
import { type Link, type LinkEntry, titleOf } from '../../links/link.ts'
import { isCallback, wrapJsonp } from '../jsonp.ts'
import { formatTimestamp } from '../timestamp.ts'
import { buildXml, replaceAllForbidden } from '../xml-document.ts'

// Clients check field names and messages, so these are identical to those of YOURLS 1.10.

type PresentableLink = Pick<
  LinkEntry,
  'alias' | 'shortUrl' | 'url' | 'metaTitle' | 'createdAt' | 'clicks'
>
export type Totals = { links: number; clicks: number }

const FORMAT_REQUIRED = 'Need either XML or JSON format for stats'
const NOT_FOUND = 'Error: short URL not found'

/** Returns the reply to `shorturl`. `ip` is the caller's IP address, which is not stored. */
export function presentCreated(link: PresentableLink, ip: string): YourlsReply {
  const data = {
    status: 'success',
    code: '',
    message: `${truncate(link.url)} added to database`,
    errorCode: '',
    statusCode: '200',
    ...presentLink(link, { ip }),
  }
  return { data, simple: link.shortUrl }
}

/**
 * Returns the reply to `shorturl` if the caller already has a link with this keyword and
 * destination.
 */
export function presentExisting(link: PresentableLink): YourlsReply {
  const short = link.shortUrl.replace(/^https?:\/\//, '')
  const message = `${truncate(link.url)} already exists in database (short URL: ${short})`
  const linkFields = presentLink(link, { ip: '', clicks: String(link.clicks) })
  return {
    data: { ...createFailureFields('error:url', message), ...linkFields },
    simple: link.shortUrl,
  }
}

/** Returns the reply to `shorturl` if no link was created. */
export function presentFailure(code: string, message: string, status = 400): YourlsReply {
  return { data: createFailureFields(code, message, status), simple: '' }
}

/** Returns the reply to a rejected call of any action. */
export function presentRejection(error: AppError): YourlsReply {
  const message = describeError(error)
  return { data: { status: 'fail', message, errorCode: String(error.status) }, simple: message }
}

/** Returns the error message with this API's field names. */
export function describeError(error: AppError): string {
  return messageWith({ alias: 'keyword' }, error)
}

/** Returns the reply to `expand`. `keyword` is the value that the caller sent. */
export function presentExpanded(keyword: string, link: Link | undefined): YourlsReply {
  if (!link) {
    return { data: { keyword, message: NOT_FOUND, errorCode: '404' }, simple: 'not found' }
  }
  const { alias, shortUrl: shorturl, url: longurl } = link
  const fields = { keyword: alias, shorturl, longurl, title: titleOf(link) }
  return { data: { ...fields, message: 'success', statusCode: '200' }, simple: longurl }
}

/** Returns the reply to `url-stats`. */
export function presentUrlStats(link: Link | undefined): YourlsReply {
  const data: Data = link
    ? { statusCode: '200', message: 'success', link: presentEntry(link) }
    : { statusCode: '404', message: NOT_FOUND }
  return { data, simple: FORMAT_REQUIRED }
}

/** Returns the reply to `stats`. Omits `links` if there are no entries. */
export function presentStats(entries: readonly PresentableLink[], totals: Totals): YourlsReply {
  const links = entries.map((entry, index) => [`link_${index + 1}`, presentEntry(entry)] as const)
  const data: Data = {
    ...(links.length > 0 && { links: Object.fromEntries(links) }),
    stats: presentTotals(totals),
    statusCode: '200',
    message: 'success',
  }
  return { data, simple: FORMAT_REQUIRED }
}

/** Returns the reply to `db-stats`. */
export function presentDbStats(totals: Totals): YourlsReply {
  const data = { 'db-stats': presentTotals(totals), statusCode: '200', message: 'success' }
  return { data, simple: FORMAT_REQUIRED }
}

function presentTotals({ links, clicks }: Totals) {
  return { total_links: String(links), total_clicks: String(clicks) }
}

function presentLink({ createdAt, ...link }: PresentableLink, extra: Data) {
  const { alias: keyword, shortUrl: shorturl, url } = link
  const title = titleOf(link)
  return {
    url: { keyword, url, title, date: formatTimestamp(createdAt), ...extra },
    title,
    shorturl,
  }
}

function presentEntry(link: PresentableLink) {
  const { shortUrl: shorturl, url, createdAt, clicks } = link
  const timestamp = formatTimestamp(createdAt)
  // The creator's IP address is not stored, but clients expect the field.
  return { shorturl, url, title: titleOf(link), timestamp, ip: '', clicks: String(clicks) }
}

function createFailureFields(code: string, message: string, status = 400) {
  return { status: 'fail', code, message, errorCode: String(status), statusCode: String(status) }
}

/** Truncates a destination for use in a message. */
function truncate(url: string): string {
  return url.length > 60 ? `${url.slice(0, 55)}[...]` : url
}

/** Nested texts of a YOURLS reply. */
type Data = { readonly [name: string]: string | Data }

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

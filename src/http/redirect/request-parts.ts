import type { FastifyRequest } from 'fastify'
import type { UncountedReason } from '../../clicks/append.ts'
import type { Visitor } from '../../links/decide.ts'
import type { ForwardedParts } from '../../links/forwarding.ts'
import type { VisitLink } from '../../links/link.ts'
import { addScanMarker, isScanUrl, withoutScanMarker } from '../../urls/scan-marker.ts'
import type { CountryLookup } from '../../visitors/country.ts'
import { type ClientClassifier, isPrefetch } from '../../visitors/crawler.ts'
import { matchLanguage } from '../../visitors/language.ts'
import { matchesDevice, parseDeviceTarget, parseUserAgent } from '../../visitors/user-agent.ts'
import type { VisitorHash } from '../../visitors/visitor-hash.ts'
import { buildLinkPath } from '../html/send-page.ts'

/** Returns a request's path without its first slash, and its query, without decoding them. */
export function readPathAndQuery({ raw }: FastifyRequest): { path: string; query: string } {
  const [, path = '', query = ''] = /^\/?([^?]*)\??(.*)$/s.exec(decodeUtf8(raw.url ?? '')) ?? []
  return { path, query }
}

/** Returns whether a visit comes from a scan of a QR code. */
export function isScan({ raw }: FastifyRequest, link: VisitLink): boolean {
  return link.isCode || isScanUrl(raw.url ?? '')
}

/**
 * Returns the path and query of a visit to a link that follow its alias, without decoding them and
 * without the marker of scans. The path is empty for requests that match a route, because their slashes
 * belong to the route.
 */
export function readForwardedParts(request: FastifyRequest, alias: string): ForwardedParts {
  const { path, query } = readPathAndQuery(request)
  const rest = request.is404 ? path.split('/').slice(alias.split('/').length) : []
  return { path: rest.join('/'), query: withoutScanMarker(query) }
}

/** Decodes a URL as UTF-8, which browsers send. Node.js decodes it as Latin-1. */
function decodeUtf8(url: string): string {
  return /^[\0-\x7f]*$/.test(url) ? url : Buffer.from(url, 'latin1').toString('utf8')
}

/**
 * Returns the path that a link's forms post to, including the path and query that it forwards and
 * the marker of scans.
 */
export function buildFormAction(link: VisitLink, request: FastifyRequest): string {
  const { forwarding } = link
  const isMarked = isScanUrl(request.raw.url ?? '')
  const mark = (action: string) => (isMarked ? addScanMarker(action) : action)
  if (!forwarding) return mark(buildLinkPath(link))
  const { path, query } = readForwardedParts(request, link.alias)
  const forwardedPath = forwarding.path && path !== '' ? `/${path}` : ''
  const forwardedQuery = forwarding.query && query !== '' ? `?${query}` : ''
  return mark(buildLinkPath(link) + forwardedPath + forwardedQuery)
}

/** Returns the visitor of a link. Methods compute a value only when a rule needs it. */
export function toVisitor(
  request: FastifyRequest,
  { alias }: Pick<VisitLink, 'alias'>,
  country: CountryLookup,
  hashVisitor: VisitorHash,
  clients: ClientClassifier,
): Visitor {
  const { headers } = request
  const userAgent = headers['user-agent'] ?? ''
  let cachedCountry: { code: string | undefined } | undefined
  return {
    country() {
      cachedCountry ??= { code: request.reportedCountry ?? country.lookup(request.ip) }
      return cachedCountry.code
    },
    hasDevice(name) {
      const target = parseDeviceTarget(name)
      return target !== undefined && matchesDevice(target, parseUserAgent(userAgent))
    },
    bestLanguage: (targets) => matchLanguage(targets, headers['accept-language']),
    browser: () => parseUserAgent(userAgent).browser,
    os: () => parseUserAgent(userAgent).os,
    query: (name) => readQueryValues(request.query, name),
    isLinkPreviewBot: () => clients.isLinkPreviewBot(userAgent),
    hash: () => hashVisitor(request.ip, userAgent),
    forwardedParts: () => readForwardedParts(request, alias),
  }
}

function readQueryValues(query: unknown, name: string): string[] {
  const hasValue = typeof query === 'object' && query !== null && Object.hasOwn(query, name)
  const value = hasValue ? (query as Record<string, unknown>)[name] : []
  return [value].flat().filter((each) => typeof each === 'string')
}

/**
 * Returns why a visit does not count, if the journal must say so: the reason and, as variant, the name
 * in the account's own list of robots. The importer recognizes other robots by their User-Agent. Those
 * on a link with a click limit have used up no click, so they must not become clicks if the importer
 * knows other names.
 */
export function findUncountedReason(
  { method, headers }: FastifyRequest,
  { findOwnRobot, lifetime }: VisitLink,
  clients: Pick<ClientClassifier, 'isCrawler'>,
): { uncounted: UncountedReason; variant?: string } | undefined {
  const userAgent = headers['user-agent'] ?? ''
  const variant = findOwnRobot?.(userAgent)
  if (variant !== undefined) return { uncounted: 'robot', variant }
  if (lifetime?.isLimited && clients.isCrawler(userAgent)) return { uncounted: 'robot' }
  if (method === 'HEAD') return { uncounted: 'head' }
  return isPrefetch(headers) ? { uncounted: 'prefetch' } : undefined
}

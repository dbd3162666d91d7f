import type { FastifyRequest } from 'fastify'
import type { Visitor } from '../../links/decide.ts'
import type { VisitLink } from '../../links/link.ts'
import type { CountryLookup } from '../../visitors/country.ts'
import { isLinkPreviewBot } from '../../visitors/crawler.ts'
import { matchLanguage } from '../../visitors/language.ts'
import { matchesDevice, parseDeviceTarget, parseUserAgent } from '../../visitors/user-agent.ts'
import type { VisitorHash } from '../../visitors/visitor-hash.ts'
import { readForwardedParts } from './request-parts.ts'

/** Returns the visitor of a link. Methods compute a value only when a rule needs it. */
export function toVisitor(
  request: FastifyRequest,
  { alias }: Pick<VisitLink, 'alias'>,
  country: CountryLookup,
  hashVisitor: VisitorHash,
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
    isLinkPreviewBot: () => isLinkPreviewBot(userAgent),
    hash: () => hashVisitor(request.ip, userAgent),
    forwardedParts: () => readForwardedParts(request, alias),
  }
}

function readQueryValues(query: unknown, name: string): string[] {
  const hasValue = typeof query === 'object' && query !== null && Object.hasOwn(query, name)
  const value = hasValue ? (query as Record<string, unknown>)[name] : []
  return [value].flat().filter((each) => typeof each === 'string')
}

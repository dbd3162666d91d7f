import type { FastifyRequest } from 'fastify'
import type { Visitor } from '../../links/decide.ts'
import type { CountryLookup } from '../../visitors/country.ts'
import { isLinkPreviewBot } from '../../visitors/crawler.ts'
import { matchLanguage } from '../../visitors/language.ts'
import { deviceTarget, matchesDevice, parseUserAgent } from '../../visitors/user-agent.ts'

/** Who is asking, worked out only as far as the link's targeting wants to know. */
export function visitorOf(request: FastifyRequest, country: CountryLookup): Visitor {
  const { headers } = request
  const userAgent = headers['user-agent'] ?? ''
  return {
    country: () => country.lookup(request.ip),
    hasDevice(name) {
      const target = deviceTarget(name)
      return target !== undefined && matchesDevice(target, parseUserAgent(userAgent))
    },
    bestLanguage: (targets) => matchLanguage(targets, headers['accept-language']),
    isLinkPreviewBot: () => isLinkPreviewBot(userAgent),
  }
}

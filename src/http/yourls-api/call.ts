import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import type { ValidKey } from '../../accounts/access.ts'
import type { KeyLinks } from '../../links/domain-links.ts'
import { shortUrlOf } from '../../links/short-url.ts'
import type { Services } from '../../services.ts'
import { linksOf } from '../request/links-of-key.ts'
import type { Parameters } from '../request/parameters.ts'

export const PARAMETERS = [
  ...['action', 'format', 'callback', 'signature', 'username', 'password', 'timestamp'],
  ...['url', 'keyword', 'title', 'shorturl', 'filter', 'limit', 'start', 'db'],
] as const

/** What a call says. */
export type Given = Parameters<(typeof PARAMETERS)[number]>

/**
 * A call that was let in: at a branded domain of the caller's own it is about links there, else about
 * those on the domain that its key is bound to or on the service's host.
 */
export type Call = Given & {
  accountId: number
  key: ValidKey
  /** The links that the key reaches. */
  links: KeyLinks
  address: string
  log: FastifyBaseLogger
  domain: string | undefined
  /** The short URL of a keyword on that host. */
  shortUrlOf: (keyword: string) => string
}

/** Throws AppError `database_unavailable`. */
export async function readCall(
  services: Pick<Services, 'config' | 'hosts' | 'links'>,
  request: FastifyRequest,
  given: Given,
): Promise<Call> {
  const { config, hosts } = services
  const { account, key, headers, ip: address, log } = request
  const host = await hosts.resolve(headers.host ?? '')
  const own = host.kind === 'domain' && host.domain.accountId === account.id && host.domain
  const { origin, host: domain } =
    own || (key.domain ?? { origin: config.baseUrl, host: undefined })
  return {
    ...given,
    ...{ accountId: account.id, key, links: linksOf(services, request), address, log, domain },
    shortUrlOf: (keyword: string) => shortUrlOf(origin, keyword),
  }
}

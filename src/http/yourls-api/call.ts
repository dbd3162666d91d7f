import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import type { ValidKey } from '../../accounts/access.ts'
import type { HttpContext } from '../../context.ts'
import type { KeyReach } from '../../links/key-links.ts'
import { shortUrlOf } from '../../links/short-url.ts'
import { reachOf } from '../request/key-reach.ts'
import type { Parameters } from '../request/parameters.ts'

export const PARAMETERS = [
  ...['action', 'format', 'callback', 'signature', 'username', 'password', 'timestamp'],
  ...['url', 'keyword', 'title', 'shorturl', 'filter', 'limit', 'start', 'db'],
] as const

/** The parameters of a call. */
export type Given = Parameters<(typeof PARAMETERS)[number]>

/**
 * An authenticated call. On a branded domain of the caller, it is about links on that domain, or
 * else on the domain that its key is bound to or the service's host.
 */
export type Call = Given & {
  accountId: number
  key: ValidKey
  reach: KeyReach
  address: string
  log: FastifyBaseLogger
  domain: string | undefined
  /** Returns the short URL of a keyword on that host. */
  shortUrlOf: (keyword: string) => string
}

/** Throws AppError `database_unavailable`. */
export async function readCall(
  ctx: Pick<HttpContext, 'config' | 'hosts'>,
  request: FastifyRequest,
  given: Given,
): Promise<Call> {
  const { config, hosts } = ctx
  const { account, key, headers, ip: address, log } = request
  const host = await hosts.resolve(headers.host ?? '')
  const own = host.kind === 'domain' && host.domain.accountId === account.id && host.domain
  const { origin, host: domain } =
    own || (key.domain ?? { origin: config.baseUrl, host: undefined })
  return {
    ...given,
    ...{ accountId: account.id, key, reach: reachOf(request, 'yourls-api'), address, log, domain },
    shortUrlOf: (keyword: string) => shortUrlOf(origin, keyword),
  }
}

import type { FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import type { ValidKey } from '../../identity/access.ts'
import type { Scope } from '../../scope.ts'
import { shortUrlOf } from '../../urls/short-url.ts'
import type { Parameters } from '../request/parameters.ts'

export const PARAMETERS = [
  'action',
  'format',
  'callback',
  'signature',
  'username',
  'password',
  'timestamp',
  'url',
  'keyword',
  'title',
  'shorturl',
  'filter',
  'limit',
  'start',
  'db',
] as const

/** The parameters of a call. */
export type YourlsParameters = Parameters<(typeof PARAMETERS)[number]>

/**
 * An authenticated call. It applies to links on one host: the requested branded domain if it belongs
 * to the caller, otherwise the domain that the key is bound to, otherwise the service's host.
 */
export type Call = YourlsParameters & {
  key: ValidKey
  scope: Scope<HttpContext>
  /** The caller's IP address. */
  address: string
  request: FastifyRequest
  domain: string | undefined
  /** Returns the short URL of a keyword on that host. */
  shortUrlOf: (keyword: string) => string
}

/** Resolves the host that a call applies to. Throws AppError `database_unavailable`. */
export async function readCall(
  ctx: Pick<HttpContext, 'config' | 'hosts'>,
  request: FastifyRequest,
  parameters: YourlsParameters,
): Promise<Call> {
  const { config, hosts } = ctx
  const { account, key, headers, ip: address } = request
  const host = await hosts.resolve(headers.host ?? '')
  const ownDomain = host.kind === 'domain' && host.domain.accountId === account.id && host.domain
  const { origin, host: domain } =
    ownDomain || (key.domain ?? { origin: config.baseUrl, host: undefined })
  return {
    ...parameters,
    key,
    scope: request.scope,
    address,
    request,
    domain,
    shortUrlOf: (keyword: string) => shortUrlOf(origin, keyword),
  }
}

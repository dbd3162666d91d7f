import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { shortUrlOf } from '../../links/short-url.ts'
import type { Services } from '../../services.ts'
import type { Parameters } from '../request/parameters.ts'

export const PARAMETERS = [
  ...['action', 'format', 'callback', 'signature', 'username', 'password', 'timestamp'],
  ...['url', 'keyword', 'title', 'shorturl', 'filter', 'limit', 'start', 'db'],
] as const

/** What a call says. */
export type Given = Parameters<(typeof PARAMETERS)[number]>

/** A call that was let in, on a branded domain of the caller's own or else the service's host. */
export type Call = Given & {
  accountId: number
  address: string
  log: FastifyBaseLogger
  domain: string | undefined
  /** The short URL of a keyword on that host. */
  shortUrlOf: (keyword: string) => string
}

/** Throws AppError `database_unavailable`. */
export async function readCall(
  { config, hosts }: Pick<Services, 'config' | 'hosts'>,
  { account, headers, ip: address, log }: FastifyRequest,
  given: Given,
): Promise<Call> {
  const host = await hosts.resolve(headers.host ?? '')
  const own = host.kind === 'domain' && host.domain.accountId === account.id && host.domain
  const { origin, host: domain } = own || { origin: config.baseUrl, host: undefined }
  const shortUrl = (keyword: string) => shortUrlOf(origin, keyword)
  return { ...given, accountId: account.id, address, log, domain, shortUrlOf: shortUrl }
}

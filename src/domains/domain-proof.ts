import type { Config } from '../config.ts'
import type { Instance } from '../db/instance.ts'
import { invalid } from '../errors.ts'
import type { GuardedFetch } from '../net/guarded-fetch.ts'
import { OutboundError } from '../net/outbound-error.ts'
import { isIpAddress, normalizeHost, withoutPort } from '../urls/host.ts'
import type { Hosts } from './hosts.ts'

const ORIGIN_PATTERN = /^https?:\/\/([^/?#@\\\s]+)\/?$/i

const LABEL = '[a-z0-9_-]{1,63}'

const HOST_NAME_PATTERN = new RegExp(`^(?=.{1,253}$)${LABEL}(?:\\.${LABEL})*$`)

type Origin = {
  /** The host in the form of a `Host` header. It identifies the domain. */
  host: string
  /** The scheme and host with which short URLs on the domain start. */
  origin: string
}

/** A domain that has been checked. It can be added if it points to this service. */
export type CheckedDomain = Origin & { pointsHere: boolean }

type ProofContext = {
  config: Pick<Config, 'domainCheck'>
  hosts: Pick<Hosts, 'isReserved'>
  outbound: Pick<GuardedFetch, 'fetch'>
  /** The instance whose token the service serves at `PROOF_PATH` on all of its hosts. */
  instance: Pick<Instance, 'token'>
}

/** The path of the token, a well-known URI (RFC 8615). */
export const PROOF_PATH = '/.well-known/short-link-service'

/** The maximum size of the response that is compared to the token. */
const MAX_BYTES = 1024

/**
 * Parses a domain and checks whether it points here. This takes as long as an outbound request may
 * take, so do not call it in a transaction. The response of the domain, and the reason if it fails,
 * are not revealed.
 *
 * @throws AppError `invalid_input` naming `domain`, `busy` if too many checks are running
 */
export async function verifyDomain(
  ctx: ProofContext,
  account: number,
  domain: string,
): Promise<CheckedDomain> {
  const { host, origin } = parseOrigin(domain)
  if (isIpAddress(withoutPort(host))) throw invalid('domain', 'ip_address')
  if (ctx.hosts.isReserved(host)) throw invalid('domain', 'service_itself')
  const pointsHere =
    !ctx.config.domainCheck || (await servesTokenOnAnyScheme(ctx, account, host, origin))
  return { host, origin, pointsHere }
}

/**
 * Returns whether a host serves the token. A proxy that issues certificates for registered domains
 * does not have one for this domain yet. Therefore http on the default port is tried too, as
 * certificate authorities do.
 */
async function servesTokenOnAnyScheme(
  ctx: ProofContext,
  account: number,
  host: string,
  origin: string,
): Promise<boolean> {
  if (await servesToken(ctx, account, origin)) return true
  return origin === `https://${host}` && host === withoutPort(host)
    ? servesToken(ctx, account, `http://${host}`)
    : false
}

async function servesToken(
  { outbound, instance }: ProofContext,
  account: number,
  origin: string,
): Promise<boolean> {
  try {
    const options = { account, redirects: 0, maxBytes: MAX_BYTES }
    const { status, body } = await outbound.fetch(`${origin}${PROOF_PATH}`, options)
    return status === 200 && body.toString('utf8').trim() === instance.token
  } catch (error) {
    if (error instanceof OutboundError) return false
    throw error
  }
}

/**
 * Parses the URL of a branded domain: `http` or `https`, a host, and a port if it is not the
 * default. Normalizes case, IDN, default port and trailing dot like the WHATWG URL standard and the
 * `Host` header do.
 *
 * @throws AppError `invalid_input` naming `domain`
 */
export function parseOrigin(value: string): Origin {
  if (!/^https?:\/\//i.test(value)) throw invalid('domain', 'begins_with_scheme')
  const url = ORIGIN_PATTERN.test(value) && URL.canParse(value) ? new URL(value) : undefined
  const name = url?.hostname.replace(/\.$/, '') ?? ''
  if (!url || (!HOST_NAME_PATTERN.test(name) && !name.startsWith('['))) {
    throw invalid('domain', 'origin')
  }
  const host = url.port ? `${name}:${url.port}` : name
  return { host: normalizeHost(host), origin: `${url.protocol}//${host}` }
}

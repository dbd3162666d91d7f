import type { Config } from '../config.ts'
import type { Instance } from '../db/instance.ts'
import { invalid } from '../errors.ts'
import type { GuardedFetch } from '../net/guarded-fetch.ts'
import { OutboundError } from '../net/outbound-error.ts'
import { type Hosts, isAddress, nameOf } from './hosts.ts'
import { type Origin, parseOrigin } from './origin.ts'

/** A domain that may become a branded one, if it points to this service. */
export type ProvenDomain = Origin & { pointsHere: boolean }

type ProofContext = {
  config: Pick<Config, 'domainCheck'>
  hosts: Pick<Hosts, 'isReserved'>
  outbound: Pick<GuardedFetch, 'fetch'>
  /** Its token is what the service answers at `PROOF_PATH` under each of its names. */
  instance: Pick<Instance, 'token'>
}

/** Where the service shows its token; a well-known address in the sense of RFC 8615. */
export const PROOF_PATH = '/.well-known/short-link-service'

const MAX_BYTES = 1024

/**
 * Reads a domain of an account and checks whether it points here. This takes up to as long as an outbound
 * request may, so it must not be called inside a transaction. What the domain answers is not revealed, not
 * even why it was no proof.
 *
 * @throws AppError `invalid_input` naming `domain`, `busy` when too many domains are being checked already
 */
export async function proveDomain(
  ctx: ProofContext,
  account: number,
  domain: string,
): Promise<ProvenDomain> {
  const { host, origin } = parseOrigin(domain)
  if (isAddress(nameOf(host))) throw invalid('domain', 'must be a name and not an IP address')
  if (ctx.hosts.isReserved(host)) throw invalid('domain', 'must not be the service itself')
  const pointsHere = !ctx.config.domainCheck || (await showsTokenAt(ctx, account, host, origin))
  return { host, origin, pointsHere }
}

/**
 * A proxy that requests certificates for the domains that are added has none before that, so a domain is
 * also checked by http on the usual port, as certificate authorities do.
 */
async function showsTokenAt(
  ctx: ProofContext,
  account: number,
  host: string,
  origin: string,
): Promise<boolean> {
  if (await showsToken(ctx, account, origin)) return true
  return origin === `https://${host}` && host === nameOf(host)
    ? showsToken(ctx, account, `http://${host}`)
    : false
}

async function showsToken(
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

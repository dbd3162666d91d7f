import { invalid } from '../errors.ts'
import type { GuardedFetch } from '../net/guarded-fetch.ts'
import { OutboundError } from '../net/outbound-error.ts'
import { type Hosts, isAddress, nameOf } from './hosts.ts'
import { type Origin, parseOrigin } from './origin.ts'

/** A domain that may become a branded one, if it points to this service. */
export type ProvenDomain = Origin & { pointsHere: boolean }
export type ProveDomain = ReturnType<typeof createDomainProof>

type Dependencies = {
  hosts: Pick<Hosts, 'isReserved'>
  outbound: Pick<GuardedFetch, 'fetch'>
  /** What the service answers at `PROOF_PATH` under each of its names. */
  token: string
  /** Whether domains are asked at all; otherwise each is taken at its word. */
  check: boolean
}

/** Where the service shows its token; a well-known address in the sense of RFC 8615. */
export const PROOF_PATH = '/.well-known/short-link-service'

const MAX_BYTES = 1024

/**
 * Gives the function that reads a domain of an account and asks it whether it points here. It takes up to as long
 * as an outbound request may, so it must not be called inside a transaction. What the domain answers
 * is told to nobody, not even why it was no proof.
 *
 * The function throws AppError `invalid_input` naming `domain`, and `busy` when too many domains are
 * being asked already.
 */
export function createDomainProof({ hosts, outbound, token, check }: Dependencies) {
  return async function proveDomain(account: number, domain: string): Promise<ProvenDomain> {
    const { host, origin } = parseOrigin(domain)
    if (isAddress(nameOf(host))) throw invalid('domain', 'must be a name and not an IP address')
    if (hosts.isReserved(host)) throw invalid('domain', 'must not be the service itself')
    return { host, origin, pointsHere: !check || (await pointsHere(account, host, origin)) }
  }

  /**
   * A proxy that has certificates made for the domains that are added has none before that, so a
   * domain is also asked by http on the usual port, as an authority for certificates does.
   */
  async function pointsHere(account: number, host: string, origin: string): Promise<boolean> {
    if (await showsToken(account, origin)) return true
    return origin === `https://${host}` && host === nameOf(host)
      ? showsToken(account, `http://${host}`)
      : false
  }

  async function showsToken(account: number, origin: string): Promise<boolean> {
    try {
      const options = { account, redirects: 0, maxBytes: MAX_BYTES }
      const { status, body } = await outbound.fetch(`${origin}${PROOF_PATH}`, options)
      return status === 200 && body.toString('utf8').trim() === token
    } catch (error) {
      if (error instanceof OutboundError) return false
      throw error
    }
  }
}

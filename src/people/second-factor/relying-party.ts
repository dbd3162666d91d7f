import { isIP } from 'node:net'
import type { Config } from '../../config.ts'

/** The site that passkeys belong to (WebAuthn: relying party). */
export type RelyingParty = { id: string; origin: string }

/**
 * Returns the relying party, which follows from `BASE_URL` and never from a request's host, or
 * undefined if passkeys are unavailable: they need https on a host name, or localhost.
 */
export function relyingParty({ baseUrl }: Pick<Config, 'baseUrl'>): RelyingParty | undefined {
  const { hostname, origin, protocol } = new URL(baseUrl)
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  const isAddress = isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0
  return (protocol === 'https:' && !isAddress) || isLocal ? { id: hostname, origin } : undefined
}

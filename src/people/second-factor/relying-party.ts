import { isIP } from 'node:net'
import type { Config } from '../../config.ts'

/** The site to which passkeys belong (called the relying party in WebAuthn). */
export type RelyingParty = { id: string; origin: string }

/**
 * Returns the relying party, or undefined if passkeys are not available. Passkeys require https on
 * a host name, or localhost. The relying party is derived from `BASE_URL`, never from the host of a
 * request.
 */
export function getRelyingParty({ baseUrl }: Pick<Config, 'baseUrl'>): RelyingParty | undefined {
  const { hostname, origin, protocol } = new URL(baseUrl)
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  const isAddress = isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0
  return (protocol === 'https:' && !isAddress) || isLocal ? { id: hostname, origin } : undefined
}

import { isIP } from 'node:net'
import type { Config } from '../../config.ts'

/** The site that passkeys belong to (WebAuthn: relying party). */
export type RelyingParty = { id: string; origin: string }

/**
 * Returns the relying party by `BASE_URL`, never by a request's host. Browsers offer passkeys only on
 * names with https, and on localhost.
 */
export function relyingParty({ baseUrl }: Pick<Config, 'baseUrl'>): RelyingParty | undefined {
  const { hostname, origin, protocol } = new URL(baseUrl)
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  const isAddress = isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0
  return (protocol === 'https:' && !isAddress) || isLocal ? { id: hostname, origin } : undefined
}

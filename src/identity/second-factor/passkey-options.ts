import { isIP } from 'node:net'
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import type { Config } from '../../config.ts'
import { findChosenName } from '../../site-name.ts'
import type { User } from '../user.ts'

/** The site to which passkeys belong (called the relying party in WebAuthn). */
export type RelyingParty = { id: string; origin: string; name: string }

/** The COSE algorithms that browsers may choose from: ES256, EdDSA, RS256. */
export const ALGORITHMS = [-7, -8, -257]

const TIMEOUT_MS = 300_000

type Credential = { credentialId: Buffer; transports: readonly string[] }
type Challenged = { rp: RelyingParty; challenge: Buffer; credentials: readonly Credential[] }

/**
 * Returns the options for creating a passkey that verifies its user and can be used without a
 * password.
 */
export function toCreationOptions({
  rp,
  challenge,
  credentials,
  user,
}: Challenged & { user: User }): PublicKeyCredentialCreationOptionsJSON {
  return {
    rp: { id: rp.id, name: rp.name },
    user: { id: toUserHandle(user.id), name: user.email, displayName: user.email },
    challenge: challenge.toString('base64url'),
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: TIMEOUT_MS,
    excludeCredentials: credentials.map(toDescriptor),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    attestation: 'none',
  }
}

/**
 * Returns the options for signing in with one of these passkeys. If the list is empty, any passkey
 * may be used.
 */
export function toRequestOptions({
  rp,
  challenge,
  credentials,
}: Challenged): PublicKeyCredentialRequestOptionsJSON {
  return {
    rpId: rp.id,
    challenge: challenge.toString('base64url'),
    timeout: TIMEOUT_MS,
    allowCredentials: credentials.map(toDescriptor),
    userVerification: 'required',
  }
}

/**
 * Returns the user handle for authenticators. It is based on the id, because email addresses can
 * change.
 */
export function toUserHandle(userId: number): string {
  return Buffer.from(String(userId)).toString('base64url')
}

function toDescriptor({ credentialId, transports }: Credential) {
  const type = 'public-key' as const
  return { id: credentialId.toString('base64url'), type, transports: [...transports] }
}

/**
 * Returns the relying party, or undefined if passkeys are not available. Passkeys require https on
 * a host name, or localhost. The relying party is derived from `BASE_URL`, never from the host of a
 * request.
 */
export function getRelyingParty(
  config: Pick<Config, 'baseUrl' | 'siteName'>,
): RelyingParty | undefined {
  const { hostname, origin, protocol } = new URL(config.baseUrl)
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  const isAddress = isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0
  return (protocol === 'https:' && !isAddress) || isLocal
    ? { id: hostname, origin, name: findChosenName(config) ?? hostname }
    : undefined
}

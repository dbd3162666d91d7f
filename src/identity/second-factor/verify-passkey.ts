import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { StoredPasskey } from './passkey.queries.ts'
import type { RelyingParty } from './passkey-options.ts'
import { ALGORITHMS, toUserHandle } from './passkey-options.ts'

type Expected = { rp: RelyingParty; challenge: Buffer }

export type NewCredential = {
  credentialId: Buffer
  publicKey: Buffer
  counter: number
  transports: string[]
}

/**
 * The maximum length of a response. Browsers send a few hundred bytes, or a few thousand with an
 * attestation.
 */
const MAX_LENGTH = 20_000
const MAX_ID_BYTES = 1023
/** The ways in which browsers can reach an authenticator (WebAuthn, section 5.8.4). */
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']

/** Verifies the creation of a passkey. Throws an Error with the reason if it is invalid. */
export async function verifyCreation(text: string, expected: Expected): Promise<NewCredential> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const response = parse<RegistrationResponseJSON>(text)
  const attestationObject = await removeAttestation(response.response.attestationObject)
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: { ...response, response: { ...response.response, attestationObject } },
    ...toOptions(expected),
    supportedAlgorithmIDs: ALGORITHMS,
  })
  if (!verified) throw new Error('The signature is wrong.')
  const { id, publicKey, counter } = registrationInfo.credential
  const transports: unknown = response.response.transports
  return {
    credentialId: parseCredentialId(id),
    publicKey: Buffer.from(publicKey),
    counter,
    transports: Array.isArray(transports)
      ? TRANSPORTS.filter((each) => transports.includes(each))
      : [],
  }
}

/** Returns the credential id of a sign-in with a passkey, if it has one. */
export function readCredentialId(text: string): Buffer | undefined {
  try {
    return parseCredentialId(parse<AuthenticationResponseJSON>(text).id)
  } catch {
    return undefined
  }
}

/**
 * Verifies a sign-in with a passkey and returns its new counter. Throws an Error with the reason if
 * it is invalid, or if the counter indicates a copy of the authenticator.
 */
export async function verifyAssertion(
  text: string,
  passkey: StoredPasskey,
  expected: Expected,
): Promise<number> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const response = parse<AuthenticationResponseJSON>(text)
  const handle = response.response.userHandle
  if (handle && handle !== toUserHandle(passkey.user.id)) {
    throw new Error('The user handle belongs to another user.')
  }
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    ...toOptions(expected),
    credential: {
      id: passkey.credentialId.toString('base64url'),
      publicKey: new Uint8Array(passkey.publicKey),
      counter: passkey.counter,
    },
  })
  if (!verified) throw new Error('The signature is wrong.')
  return authenticationInfo.newCounter
}

function toOptions({ rp, challenge }: Expected) {
  return {
    expectedChallenge: challenge.toString('base64url'),
    expectedOrigin: rp.origin,
    expectedRPID: rp.id,
    requireUserVerification: true,
  }
}

/**
 * Removes the attestation statement. The model of an authenticator does not matter here, and
 * verifying its certificates would fetch revocation lists from URLs that the sender chose.
 */
async function removeAttestation(attestationObject: string): Promise<string> {
  const { decodeAttestationObject, isoBase64URL, isoCBOR } = await import(
    '@simplewebauthn/server/helpers'
  )
  const decoded = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject))
  const stripped = new Map<string, string | Map<string, string> | Uint8Array>([
    ['fmt', 'none'],
    ['attStmt', new Map<string, string>()],
    ['authData', decoded.get('authData')],
  ])
  return isoBase64URL.fromBuffer(isoCBOR.encode(stripped))
}

function parse<T extends { response: object }>(text: string): T {
  if (text.length > MAX_LENGTH) throw new Error('The response is too long.')
  const value: T | null = JSON.parse(text)
  if (typeof value?.response !== 'object' || value.response === null) {
    throw new Error('The credential has no response.')
  }
  return value
}

function parseCredentialId(text: unknown): Buffer {
  const id = Buffer.from(typeof text === 'string' ? text : '', 'base64url')
  if (id.length === 0 || id.length > MAX_ID_BYTES)
    throw new Error('The credential id is not valid.')
  return id
}

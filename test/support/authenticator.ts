import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

type CreationOptions = { rp: { id: string }; user: { id: string }; challenge: string }
type RequestOptions = { rpId: string; challenge: string }

/** Parts of the response that an attacker or a broken authenticator changes. */
type Forgery = {
  challenge?: string
  origin?: string
  rpId?: string
  type?: string
  counter?: number
  userVerified?: boolean
  userHandle?: string
  signature?: Buffer
}

// Flags of authenticator data (WebAuthn, section 6.1).
const PRESENT = 0x01
const VERIFIED = 0x04
const ATTESTED = 0x40

/**
 * Creates a software authenticator with one key, which accepts the options of any site (WebAuthn,
 * section 6).
 */
export function createAuthenticator({ origin = 'https://brev.test', hasCounter = true } = {}) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credentialId = randomBytes(32)
  let counter = 0
  let handle = ''

  function clientData(type: string, challenge: string, forged: Forgery): Buffer {
    const data = {
      type: forged.type ?? type,
      challenge: forged.challenge ?? challenge,
      origin: forged.origin ?? origin,
      crossOrigin: false,
    }
    return Buffer.from(JSON.stringify(data))
  }

  function authData(rpId: string, forged: Forgery, attested = Buffer.alloc(0)): Buffer {
    if (hasCounter) counter += 1
    const flags =
      PRESENT | (forged.userVerified === false ? 0 : VERIFIED) | (attested.length ? ATTESTED : 0)
    const counterBytes = Buffer.alloc(4)
    counterBytes.writeUInt32BE(forged.counter ?? counter)
    return Buffer.concat([
      sha256(forged.rpId ?? rpId),
      Buffer.from([flags]),
      counterBytes,
      attested,
    ])
  }

  const id = credentialId.toString('base64url')
  const common = { id, rawId: id, type: 'public-key', clientExtensionResults: {} }

  return {
    id,
    /** Returns the response of a browser that creates a passkey, as its form sends it. */
    create(options: CreationOptions, forged: Forgery & { attestation?: Buffer } = {}): string {
      handle = options.user.id
      const length = Buffer.from([0, credentialId.length])
      const attested = Buffer.concat([
        // The AAGUID, which identifies no model here.
        Buffer.alloc(16),
        length,
        credentialId,
        encodeCoseKey(publicKey),
      ])
      const data = authData(options.rp.id, forged, attested)
      const clientDataJSON = clientData('webauthn.create', options.challenge, forged)
      const attestationObject = forged.attestation ?? encodeAttestation(data)
      return JSON.stringify({
        ...common,
        response: {
          clientDataJSON: clientDataJSON.toString('base64url'),
          attestationObject: attestationObject.toString('base64url'),
          // The last two are invalid, and the server must ignore them.
          transports: ['internal', 'hybrid', 'x'.repeat(100), 7],
        },
      })
    },
    /** Returns the response of a browser that signs in. */
    get(options: RequestOptions, forged: Forgery = {}): string {
      const data = authData(options.rpId, forged)
      const clientDataJSON = clientData('webauthn.get', options.challenge, forged)
      const signature = sign('sha256', Buffer.concat([data, sha256(clientDataJSON)]), privateKey)
      return JSON.stringify({
        ...common,
        response: {
          clientDataJSON: clientDataJSON.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: (forged.signature ?? signature).toString('base64url'),
          userHandle: forged.userHandle ?? handle,
        },
      })
    },
  }
}

/**
 * Encodes an attestation object as CBOR, by default one without attestation: format `none` and an
 * empty map (0xa0) as its statement.
 */
export function encodeAttestation(
  authData: Buffer,
  format = 'none',
  statement = Buffer.from([0xa0]),
) {
  return Buffer.concat([
    // A map with three entries.
    Buffer.from([0xa3]),
    encodeCborText('fmt'),
    encodeCborText(format),
    encodeCborText('attStmt'),
    statement,
    encodeCborText('authData'),
    // A byte string with a length of two bytes.
    Buffer.from([0x59, authData.length >> 8, authData.length & 0xff]),
    authData,
  ])
}

function encodeCborText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)])
}

/** Encodes the public key of an ES256 key as a COSE key (RFC 9053, section 7.1). */
function encodeCoseKey(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  return Buffer.concat([
    // The fields kty, alg and crv, and the start of x.
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x, 'base64url'),
    // The start of y.
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ])
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest()
}

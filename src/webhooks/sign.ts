import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'

/**
 * Generates a secret in the format of Standard Webhooks 1.0: `whsec_` and 32 random bytes in
 * base64.
 */
export function generateSecret(): string {
  return PREFIX + randomBytes(32).toString('base64')
}

export type Message = { id: string; timestamp: number; body: string }

/**
 * Returns the headers of a message according to Standard Webhooks 1.0. `timestamp` is the time of
 * the attempt in seconds since 1970, so that a recorded message cannot be replayed later. `id` is
 * the same for each attempt. Signs with each secret, because receivers accept any valid signature.
 */
export function createSignedHeaders(
  secrets: readonly string[],
  { id, timestamp, body }: Message,
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`)
    return `v1,${hmac.digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}

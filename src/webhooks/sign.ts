import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'

/** A new secret as Standard Webhooks 1.0 writes it: 32 random bytes in base64 behind `whsec_`. */
export function createSecret(): string {
  return PREFIX + randomBytes(32).toString('base64')
}

export type Message = { id: string; timestamp: number; body: string }

/**
 * The headers of a message by Standard Webhooks 1.0. `timestamp` is that of the attempt, in seconds
 * since 1970, so that what somebody recorded cannot be sent again later; `id` is the same each time.
 * Each of the secrets signs: a receiver takes any signature that is right.
 */
export function signedHeaders(
  secrets: readonly string[],
  { id, timestamp, body }: Message,
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    const sum = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`)
    return `v1,${sum.digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}

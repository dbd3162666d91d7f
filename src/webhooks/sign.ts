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
 */
export function signedHeaders(
  secret: string,
  { id, timestamp, body }: Message,
): Record<string, string> {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  }
}

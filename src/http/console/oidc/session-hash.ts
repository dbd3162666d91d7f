import { createHash } from 'node:crypto'

/**
 * Returns a hash that identifies a session in the cookie of a pending sign-in. It cannot be computed
 * without the session's token.
 */
export function hashSessionToken(token: string): string {
  return createHash('sha256').update(`connect ${token}`).digest('base64url')
}

import { createHash } from 'node:crypto'

/** Stands for a session in the cookie of a sign-in; cannot be computed without the session's token. */
export function connectionOf(token: string): string {
  return createHash('sha256').update(`connect ${token}`).digest('base64url')
}

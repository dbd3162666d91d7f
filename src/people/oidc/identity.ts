/** A user's claims from the identity provider. */
export type Identity = {
  issuer: string
  /** The subject at the provider. It never changes and is never reassigned. */
  subject: string
  /** May change, and may belong to another person unless `emailVerified` is set. */
  email: string | undefined
  emailVerified: boolean
  /** The preferred username for a new account. */
  username: string | undefined
  /** A BCP 47 tag. */
  locale: string | undefined
  timeZone: string | undefined
  groups: readonly string[]
}

type Claims = Readonly<Record<string, unknown>>

/**
 * Reads the identity from the claims of a verified ID token and of the userinfo endpoint. The email
 * and its verification come from the same source.
 */
export function readIdentity(idToken: Claims & { iss: string; sub: string }, userinfo: Claims) {
  const source = hasEmail(idToken) || !('email' in userinfo) ? idToken : userinfo
  const merged: Claims = { ...userinfo, ...idToken }
  const verified = source.email_verified
  return {
    issuer: idToken.iss,
    subject: idToken.sub,
    email: textOf(source.email),
    // Some providers send a string.
    emailVerified: verified === true || verified === 'true',
    username: textOf(merged.preferred_username) ?? textOf(merged.nickname),
    locale: textOf(merged.locale),
    timeZone: textOf(merged.zoneinfo),
    groups: [merged.groups].flat().filter((group) => typeof group === 'string'),
  } satisfies Identity
}

/**
 * Returns whether the ID token includes the email and its verification, so that the userinfo
 * endpoint is not needed.
 */
export function hasEmail(claims: Claims): boolean {
  return 'email' in claims && 'email_verified' in claims
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The claims of the identity provider about a user. */
export type Identity = {
  issuer: string
  /** The user's id at the provider. It never changes and is never reassigned. */
  subject: string
  /**
   * The email address. It may change, and may belong to another person unless `emailVerified` is
   * set.
   */
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
 * address and its verification always come from the same source.
 */
export function readIdentity(idToken: Claims & { iss: string; sub: string }, userinfo: Claims) {
  const source = hasEmail(idToken) || !('email' in userinfo) ? idToken : userinfo
  const merged: Claims = { ...userinfo, ...idToken }
  const verified = source.email_verified
  return {
    issuer: idToken.iss,
    subject: idToken.sub,
    email: readText(source.email),
    // Some providers send a string.
    emailVerified: verified === true || verified === 'true',
    username: readText(merged.preferred_username) ?? readText(merged.nickname),
    locale: readText(merged.locale),
    timeZone: readText(merged.zoneinfo),
    groups: [merged.groups].flat().filter((group) => typeof group === 'string'),
  } satisfies Identity
}

/**
 * Returns whether the ID token has the email address and its verification. If so, the userinfo
 * endpoint is not needed.
 */
export function hasEmail(claims: Claims): boolean {
  return 'email' in claims && 'email_verified' in claims
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

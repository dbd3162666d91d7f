/** What the identity provider says about a person who has signed in there. */
export type Identity = {
  issuer: string
  /** The person at the provider. Never changes, and is never given to somebody else. */
  subject: string
  /** May change, and may be somebody else's unless `emailVerified`. */
  email: string | undefined
  emailVerified: boolean
  /** The name that the person prefers, for the username of a new account. */
  username: string | undefined
  timeZone: string | undefined
  groups: readonly string[]
}

type Claims = Readonly<Record<string, unknown>>

/**
 * Returns the identity in the claims of a verified ID token and of the userinfo endpoint. The email and
 * whether it is verified come from the same source.
 */
export function readIdentity(idToken: Claims & { iss: string; sub: string }, userinfo: Claims) {
  const source = hasEmail(idToken) || !('email' in userinfo) ? idToken : userinfo
  const merged: Claims = { ...userinfo, ...idToken }
  const verified = source.email_verified
  return {
    issuer: idToken.iss,
    subject: idToken.sub,
    email: textOf(source.email),
    // Some providers send a text.
    emailVerified: verified === true || verified === 'true',
    username: textOf(merged.preferred_username) ?? textOf(merged.nickname),
    timeZone: textOf(merged.zoneinfo),
    groups: [merged.groups].flat().filter((group) => typeof group === 'string'),
  } satisfies Identity
}

/** Whether the ID token already says all about the email, so that the userinfo endpoint is not needed. */
export function hasEmail(claims: Claims): boolean {
  return 'email' in claims && 'email_verified' in claims
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

import type { Settings } from '../../settings.ts'

export type OidcSettings = {
  issuer: URL
  clientId: string
  /** Undefined for a public client, which only uses PKCE. */
  clientSecret: string | undefined
  /** The name of the provider on buttons. */
  name: string
  /** The group whose members become admins, if set. */
  adminGroup: string | undefined
}

/**
 * Reads the settings of the identity provider. Returns undefined if `OIDC_ISSUER` is not set.
 *
 * @throws Error with a message that is appended to the name `OIDC_ISSUER`
 */
export function readOidcSettings(values: Settings): OidcSettings | undefined {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_NAME, OIDC_ADMIN_GROUP } = values
  if (!OIDC_ISSUER) {
    if (values.PASSWORD_SIGN_IN === 'off') {
      throw new Error(
        'is required with PASSWORD_SIGN_IN=off, because there would be no way to sign in',
      )
    }
    return undefined
  }
  const issuer = URL.parse(OIDC_ISSUER)
  if (!issuer || !isEncryptedOrLocal(issuer) || issuer.search || issuer.hash || issuer.username) {
    throw new Error('must be an https URL; http is allowed on this machine only')
  }
  if (!OIDC_CLIENT_ID) throw new Error('needs OIDC_CLIENT_ID')
  return {
    issuer,
    clientId: OIDC_CLIENT_ID,
    clientSecret: OIDC_CLIENT_SECRET || undefined,
    name: OIDC_NAME,
    adminGroup: OIDC_ADMIN_GROUP || undefined,
  }
}

/** Returns whether requests to a URL are encrypted or stay on this machine. */
function isEncryptedOrLocal({ protocol, hostname }: URL): boolean {
  const isLoopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback)
}

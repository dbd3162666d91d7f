/** Every mode but the first and the last verifies the certificate: docs/settings.md. */
const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

const REMEDY =
  'Percent-encode special characters in its user and password, such as %23 for #, %2F for /, %3F for ? and %25 for %'

/**
 * Validates the URL of a database.
 *
 * @throws Error with a message that follows the name of the setting and shows no part of the URL
 */
export function checkDatabaseUrl(value: string): string {
  checkSecretUrl(value, ['postgres:', 'postgresql:'])
  const mode = /[?&]sslmode=([^&]*)/.exec(value)?.[1]
  if (mode === undefined || SSL_MODES.includes(mode)) return value
  throw new Error(`has an unknown sslmode: it must be one of ${SSL_MODES.join(', ')}`)
}

/**
 * Validates the URL of a mail server.
 *
 * @throws Error with a message that follows the name of the setting and shows no part of the URL
 */
export function checkSmtpUrl(value: string): string {
  checkSecretUrl(value, ['smtp:', 'smtps:'])
  if (new URL(value).hostname !== '') return value
  throw new Error('must name a host')
}

/**
 * Validates a URL that may contain a password. Detects a password
 * with characters that end the host name: the rest of the password would otherwise be used as the
 * host, the path or the query.
 */
function checkSecretUrl(value: string, schemes: readonly string[]): void {
  if (!schemes.some((scheme) => value.startsWith(`${scheme}//`))) {
    throw new Error(`must begin with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`)
  }
  const [, authority = '', path = '', , query = ''] =
    /^[^/]*\/\/([^/?#]*)([^?#]*)(\?([^#]*))?/.exec(value) ?? []
  const credentials = authority.slice(0, Math.max(0, authority.lastIndexOf('@')))
  const isMisread =
    value.includes('#') ||
    path.includes('@') ||
    (query !== '' && !/^[\w.-]+=/.test(query)) ||
    (query.includes('@') && authority !== '' && credentials === '') ||
    !isDecodable(credentials)
  if (isMisread || !isParseable(value)) throw new Error(`is not a valid URL. ${REMEDY}`)
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** An empty host is valid, because the query may name the folder of a Unix socket. */
function isParseable(value: string): boolean {
  return URL.canParse(value) || URL.canParse(value.replace('@/', '@localhost/'))
}

const SHOWN_PARAMETERS = ['host', 'port', 'user', 'sslmode']

/**
 * Returns the URL for the driver, which treats these modes as `verify-full`, but prints a warning
 * about each other name.
 */
export function toDriverUrl(value: string): string {
  if (value.includes('uselibpqcompat=')) return value
  return value.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full')
}

/** Returns the URL of a database without its password, for messages. */
export function describeDatabase(value: string): string {
  const url = parse(value)
  url.password = ''
  for (const name of [...url.searchParams.keys()]) {
    if (!SHOWN_PARAMETERS.includes(name)) url.searchParams.delete(name)
  }
  return url.href.replace('@localhost.invalid/', '@/')
}

/** Parses a URL, which may lack a host if the query names the folder of a Unix socket. */
function parse(value: string): URL {
  return URL.parse(value) ?? new URL(value.replace('@/', '@localhost.invalid/'))
}

export type SocialNetwork = 'facebook' | 'twitter' | 'instagram'

const schemes = new Set(['http:', 'https:', 'android-app:'])
const maxHostLength = 253 // RFC 1035, section 2.3.4, as text

/** A host is one of these or a subdomain of one; the last of each are the Android apps' packages. */
const socialHosts: Record<SocialNetwork, readonly string[]> = {
  facebook: ['facebook.com', 'fb.com', 'fb.me', 'com.facebook.katana', 'com.facebook.orca'],
  twitter: ['twitter.com', 'x.com', 't.co', 'com.twitter.android'],
  instagram: ['instagram.com', 'instagr.am', 'com.instagram.android'],
}

/**
 * The host of a `Referer` header in lower case, without port, a leading `www.` or a final dot; the
 * package name of an `android-app://` referrer. Malformed headers and other schemes give undefined.
 */
export function referrerHost(header: string | undefined): string | undefined {
  const url = header ? URL.parse(header) : null
  if (!url || !schemes.has(url.protocol)) return undefined
  const host = withoutWww(url.hostname.toLowerCase().replace(/\.$/, ''))
  if (host === '' || host.length > maxHostLength) return undefined
  // Hosts of http(s) were checked by the URL parser, those of other schemes may hold anything.
  if (url.protocol === 'android-app:' && !/^[a-z0-9._-]+$/.test(host)) return undefined
  return host
}

/**
 * As much of a `Referer` header as `referrerHost` needs: scheme and host. Paths and queries may hold
 * what is nobody's business, such as a key in an address of the legacy API, and are not kept.
 */
export function referrerOrigin(header: string | undefined): string {
  // A host with a user before it is none that a browser names.
  return header ? (/^[a-z-]+:\/\/[^/?#\\@\s]+(?=[/?#\\]|$)/i.exec(header)?.[0] ?? '') : ''
}

/** What the statistics call a referrer. */
export function referrerLabel(host: string | undefined): string {
  return host ?? 'Direct, email and other'
}

/** The social network that a host from `referrerHost` belongs to, by whole domain names. */
export function socialNetwork(host: string | undefined): SocialNetwork | undefined {
  if (host === undefined) return undefined
  return networks.find((network) =>
    socialHosts[network].some((known) => host === known || host.endsWith(`.${known}`)),
  )
}

const networks: readonly SocialNetwork[] = ['facebook', 'twitter', 'instagram']

/** Whether the statistics call a social network so. */
export function isSocialNetwork(label: string): boolean {
  return (networks as readonly string[]).includes(label)
}

/** `www.com` is a domain of its own and stays. */
function withoutWww(host: string): string {
  return /^www\..*\../.test(host) ? host.slice(4) : host
}

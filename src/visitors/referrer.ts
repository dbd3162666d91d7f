export type SocialNetwork = 'facebook' | 'twitter' | 'instagram'

const schemes = new Set(['http:', 'https:', 'android-app:'])
/** The maximum length of a host name as text (RFC 1035, section 2.3.4). */
const maxHostLength = 253

/**
 * Hosts of social networks. Their subdomains count too. The last entries of each network are
 * package names of Android apps.
 */
const socialHosts: Record<SocialNetwork, readonly string[]> = {
  facebook: ['facebook.com', 'fb.com', 'fb.me', 'com.facebook.katana', 'com.facebook.orca'],
  twitter: ['twitter.com', 'x.com', 't.co', 'com.twitter.android'],
  instagram: ['instagram.com', 'instagr.am', 'com.instagram.android'],
}

/**
 * Returns the host of a `Referer` header in lowercase, without port, leading `www.` and trailing
 * dot. For an `android-app://` referrer, returns the package name. Returns undefined for malformed
 * headers and other schemes.
 */
export function parseReferrerHost(header: string | undefined): string | undefined {
  const url = header ? URL.parse(header) : null
  if (!url || !schemes.has(url.protocol)) return undefined
  const host = removeWww(url.hostname.toLowerCase().replace(/\.$/, ''))
  if (host === '' || host.length > maxHostLength) return undefined
  // The URL parser validates only the hosts of http and https URLs.
  if (url.protocol === 'android-app:' && !/^[a-z0-9._-]+$/.test(host)) return undefined
  return host
}

/**
 * Returns the scheme and host of a `Referer` header, which is all that `parseReferrerHost` needs.
 * The other parts may contain private data, such as a key in a URL of the legacy API, and are not
 * stored. Returns an empty string for a missing or malformed header.
 */
export function parseReferrerOrigin(header: string | undefined): string {
  // Browsers never send a user name before the host.
  return header ? (/^[a-z-]+:\/\/[^/?#\\@\s]+(?=[/?#\\]|$)/i.exec(header)?.[0] ?? '') : ''
}

/** The label of clicks without a referrer. */
export const DIRECT_LABEL = 'Direct, email and other'

/** Returns the label of a referrer in statistics. */
export function toReferrerLabel(host: string | undefined): string {
  return host ?? DIRECT_LABEL
}

/** Returns the social network of a host from `parseReferrerHost`. Compares entire domain names. */
export function findSocialNetwork(host: string | undefined): SocialNetwork | undefined {
  if (host === undefined) return undefined
  return networks.find((network) =>
    socialHosts[network].some((known) => host === known || host.endsWith(`.${known}`)),
  )
}

const networks: readonly SocialNetwork[] = ['facebook', 'twitter', 'instagram']

/** Returns whether a label is the name of a social network. */
export function isSocialNetwork(label: string): boolean {
  return (networks as readonly string[]).includes(label)
}

/** Removes a leading `www.`, except from `www.com`. */
function removeWww(host: string): string {
  return /^www\..*\../.test(host) ? host.slice(4) : host
}

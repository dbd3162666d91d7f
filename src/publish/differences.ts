import type { HostMatcher } from '../blocked-hosts/blocked-host.ts'
import { normalizeAlias } from '../links/rules/alias.ts'
import { followableHref } from '../target-url.ts'
import type { StoredLink } from './publish.queries.ts'

/** What becomes of a link: its redirect, if it has one, and how the link differs from a plain redirect. */
export type Publication = { destination: string | undefined; differences: readonly string[] }

/**
 * Returns the destination of a link that is a plain redirect for every visitor, and otherwise the reasons
 * why it is not. A link with its own preview is a redirect as well: only chats and feeds see the difference.
 */
export function publicationOf(link: StoredLink, now: Date, blocked: HostMatcher): Publication {
  const destination = publishableUrl(link.url)
  const reasons = [
    link.suspended && 'account suspended',
    link.disabled && 'disabled',
    link.expiresAt && (link.expiresAt <= now ? 'expired' : 'expires'),
    blocked.blocksTarget(link.url) && 'blocked host',
    !destination && 'invalid destination',
    normalizeAlias(link.alias) !== link.alias && 'invalid alias',
    link.password && 'password',
    link.rules && 'targeting',
    link.parameters && 'parameters',
    link.redirect === 'frame' && 'frame',
    link.redirect === 'splash' && 'splash page',
    link.redirect === 'overlay' && link.overlay && 'overlay',
    link.pixels && 'pixels',
  ].filter((reason): reason is string => Boolean(reason))
  if (reasons.length > 0) return { destination: undefined, differences: reasons }
  return { destination, differences: link.preview ? ['own preview'] : [] }
}

/**
 * Returns what a visit would be sent to, or undefined for what must not get into a configuration file. URLs
 * have neither spaces nor quotation marks after parsing; the formats rely on that.
 */
export function publishableUrl(url: string): string | undefined {
  const href = followableHref(url)
  return href !== undefined && /^[!#-~]+$/.test(href) ? href : undefined
}

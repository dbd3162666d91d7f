import type { HostMatcher } from '../blocked-hosts/blocked-host.ts'
import { toFollowableHref } from '../destination-url.ts'
import { normalizeAlias } from '../links/rules/alias.ts'
import type { StoredLink } from './publish.queries.ts'

/**
 * How a link is published: its redirect, if it has one, and how the link differs from a plain
 * redirect.
 */
export type Publication = { destination: string | undefined; differences: readonly string[] }

/**
 * Returns the destination of a link that redirects every visitor in the same way. For any other
 * link, returns the reasons why it does not. A link with custom preview texts counts as a redirect,
 * because only chats and feeds notice the difference.
 */
export function toPublication(link: StoredLink, now: Date, blocked: HostMatcher): Publication {
  const destination = toPublishableUrl(link.url)
  const reasons = [
    link.suspended && 'account suspended',
    link.disabled && 'disabled',
    link.startsAt && link.startsAt > now && 'starts later',
    link.endsAt && (link.endsAt <= now ? 'expired' : 'expires'),
    link.maxClicks && 'click limit',
    link.confirm && 'confirmation',
    blocked.blocksDestination(link.url) && 'blocked host',
    !destination && 'invalid destination',
    normalizeAlias(link.alias) !== link.alias && 'invalid alias',
    link.password && 'password',
    link.rules && 'targeting',
    link.split && 'split',
    link.parameters && 'parameters',
    link.forwards && 'forwarding',
    link.redirect === 'frame' && 'frame',
    link.redirect === 'splash' && 'splash page',
    link.redirect === 'overlay' && link.overlay && 'overlay',
    link.pixels && 'pixels',
  ].filter((reason): reason is string => Boolean(reason))
  if (reasons.length > 0) return { destination: undefined, differences: reasons }
  return { destination, differences: link.preview ? ['own preview'] : [] }
}

/**
 * Returns the URL to redirect to, or undefined if it must not be written to a configuration file.
 * Parsed URLs contain neither spaces nor quotation marks, and the formats rely on this.
 */
export function toPublishableUrl(url: string): string | undefined {
  const href = toFollowableHref(url)
  return href !== undefined && /^[!#-~]+$/.test(href) ? href : undefined
}

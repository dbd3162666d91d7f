import { toFollowableHref } from '../urls/destination-url.ts'
import { encodeParameter, type ForwardedParts, forwardTo } from './forwarding.ts'
import type { Overlay, SplashPage, VisitLink } from './link.ts'
import type { RuleVisitor } from './rules/conditions.ts'
import { chooseDestination } from './rules/rule.ts'
import { chooseVariant } from './split.ts'

/**
 * The visitor's properties that a decision may use. Methods are called only if the link needs them.
 */
export type Visitor = RuleVisitor & {
  /** Whether this is a bot that fetches link previews for chats and feeds. */
  isLinkPreviewBot(): boolean
  /** Returns the parts of the request that a link may forward to its destination. */
  forwardedParts(): ForwardedParts
  /** Returns the hash that identifies the visitor in statistics. */
  hash(): bigint
}

/** The destination of a visit. For a split link, also the variant. */
type ChosenDestination = { destination: string; variant?: string | undefined }

export type Decision =
  | { kind: 'disabled' }
  | { kind: 'not-active' }
  /** `redirectUrl` is the URL for visitors of expired links, if there is one. */
  | { kind: 'expired'; redirectUrl: string | undefined }
  /** The destination is on a blocked host. */
  | { kind: 'blocked' }
  | { kind: 'password' }
  /** The visitor must press a button first. */
  | { kind: 'confirm' }
  /** The stored destination no longer passes validation. */
  | { kind: 'unfollowable' }
  | ({ kind: 'redirect' } & ChosenDestination)
  | ({ kind: 'link-preview' } & ChosenDestination)
  | ({ kind: 'pixels' } & ChosenDestination)
  | ({ kind: 'frame' } & ChosenDestination)
  | ({ kind: 'splash'; splash: SplashPage | null } & ChosenDestination)
  | ({ kind: 'overlay'; overlay: Overlay } & ChosenDestination)

/**
 * Decides how to respond to a visit to `link`. Pure: the same link, visitor and time result in the
 * same decision.
 */
export function decide(
  link: VisitLink,
  visitor: Visitor,
  now: Date,
  { unlocked = false }: { unlocked?: boolean } = {},
): Decision {
  if (link.status === 'disabled') return { kind: 'disabled' }
  if (link.expiresAt && link.expiresAt <= now) return decideExpired(link)
  if (link.lifetime?.startsAt && link.lifetime.startsAt > now) return { kind: 'not-active' }
  const ruleDestination = chooseDestination(link.rules, undefined, visitor, now)
  // Rules take precedence over the split.
  const variant =
    link.split && ruleDestination === undefined
      ? chooseVariant(link.split, visitor.hash(), link.id)
      : undefined
  const chosenUrl = ruleDestination ?? variant?.to ?? link.url
  if (link.blockedDestinations?.has(chosenUrl)) return { kind: 'blocked' }
  if (link.passwordHash && !unlocked) return { kind: 'password' }
  if (link.needsConfirmation && !unlocked) return { kind: 'confirm' }
  const validatedHref = chosenUrl === link.url ? link.href : undefined
  const destination = buildFinalUrl(link, validatedHref ?? toFollowableHref(chosenUrl), visitor)
  if (destination === undefined) return { kind: 'unfollowable' }
  const chosen: ChosenDestination = variant
    ? { destination, variant: variant.label }
    : { destination }
  const { title, description, image } = link.meta
  if ((title || description || image) && visitor.isLinkPreviewBot()) {
    return { kind: 'link-preview', ...chosen }
  }
  const isWeb = /^https?:/.test(destination)
  switch (link.redirect) {
    case 'frame':
      // Only web pages can be framed.
      if (isWeb) return { kind: 'frame', ...chosen }
      break
    case 'splash':
      return { kind: 'splash', ...chosen, splash: link.splash }
    case 'overlay':
      if (link.overlay && isWeb) return { kind: 'overlay', ...chosen, overlay: link.overlay }
      break
    case 'direct':
      break
    default:
      link.redirect satisfies never
  }
  return { kind: link.pixels.length > 0 ? 'pixels' : 'redirect', ...chosen }
}

/** Returns the decision for a link that has expired or has no clicks left. */
export function decideExpired({ lifetime, blockedDestinations }: VisitLink): Decision {
  const url = lifetime?.expiredUrl
  const isAllowed = url && !blockedDestinations?.has(url)
  return { kind: 'expired', redirectUrl: isAllowed ? toFollowableHref(url) : undefined }
}

/**
 * Returns a destination with the forwarded parts of the request and the link's parameters. Returns
 * undefined without `href`, and if the path must not be forwarded.
 */
export function buildFinalUrl(
  { forwarding, parameters }: Pick<VisitLink, 'forwarding' | 'parameters'>,
  href: string | undefined,
  visitor: Pick<Visitor, 'forwardedParts'>,
): string | undefined {
  if (!forwarding || href === undefined) return appendParameters(href, parameters)
  return forwardTo(href, parameters, forwarding, visitor.forwardedParts())
}

/** Appends the link's parameters to the query of the destination, before the fragment. */
function appendParameters(
  href: string | undefined,
  parameters: readonly { name: string; value: string }[],
): string | undefined {
  if (href === undefined || parameters.length === 0) return href
  const url = new URL(href)
  const ownParameters = parameters.map((parameter) => encodeParameter(url, parameter)).join('&')
  // Assigns `search`, because `searchParams` would re-encode the destination's own query.
  url.search = url.search ? `${url.search}&${ownParameters}` : `?${ownParameters}`
  return url.href
}

import { followableHref } from '../target-url.ts'
import type { Overlay, SplashPage, VisitLink } from './link.ts'

/** What a decision may ask about the visitor. Called only when the link's settings need the answer. */
export type Visitor = {
  /** ISO 3166-1 alpha-2, upper case. */
  country(): string | undefined
  /** Whether the visitor's device is one of the targeting names. */
  hasDevice(name: string): boolean
  /** The index of the target that suits the visitor's languages best, or -1. */
  bestLanguage(targets: readonly string[]): number
  /** Whether this is a bot that draws previews of links in chats and feeds. */
  isLinkPreviewBot(): boolean
}

export type Decision =
  | { kind: 'disabled' }
  | { kind: 'expired' }
  /** The target is on a host that the operator has blocked. */
  | { kind: 'blocked' }
  | { kind: 'password' }
  /** The stored target no longer passes the rule for targets. */
  | { kind: 'unfollowable' }
  | { kind: 'redirect'; target: string }
  | { kind: 'link-preview'; target: string }
  | { kind: 'pixels'; target: string }
  | { kind: 'frame'; target: string }
  | { kind: 'splash'; target: string; splash: SplashPage | null }
  | { kind: 'overlay'; target: string; overlay: Overlay }

/** What a visit of `link` ends in. Pure: the same link, visitor and moment give the same decision. */
export function decide(
  link: VisitLink,
  visitor: Visitor,
  now: Date,
  { unlocked = false }: { unlocked?: boolean } = {},
): Decision {
  if (link.status === 'disabled') return { kind: 'disabled' }
  if (link.expiresAt && link.expiresAt <= now) return { kind: 'expired' }
  if (link.blocked?.has(chooseTarget(link, visitor))) return { kind: 'blocked' }
  if (link.passwordHash && !unlocked) return { kind: 'password' }
  const chosen = chooseTarget(link, visitor)
  const checked = chosen === link.url ? link.href : undefined
  const target = withParameters(checked ?? followableHref(chosen), link.parameters)
  if (target === undefined) return { kind: 'unfollowable' }
  const { title, description, image } = link.meta
  if ((title || description || image) && visitor.isLinkPreviewBot()) {
    return { kind: 'link-preview', target }
  }
  switch (link.redirect) {
    case 'frame':
      return { kind: 'frame', target }
    case 'splash':
      return { kind: 'splash', target, splash: link.splash }
    case 'overlay':
      if (link.overlay) return { kind: 'overlay', target, overlay: link.overlay }
      break
    case 'direct':
      break
    default:
      link.redirect satisfies never
  }
  return { kind: link.pixels.length > 0 ? 'pixels' : 'redirect', target }
}

/** The first that fits of place, device and language, else the link's own target. */
function chooseTarget(link: VisitLink, visitor: Visitor): string {
  const { geoTargets, deviceTargets, languageTargets } = link
  if (geoTargets.length > 0) {
    const country = visitor.country()
    const match = geoTargets.find(({ name }) => name === country)
    if (match) return match.link
  }
  const device = deviceTargets.find(({ name }) => visitor.hasDevice(name))
  if (device) return device.link
  if (languageTargets.length > 0) {
    const best = visitor.bestLanguage(languageTargets.map(({ name }) => name))
    const match = languageTargets[best]
    if (match) return match.link
  }
  return link.url
}

/** The target with the link's parameters at the end of its query, before its fragment. */
function withParameters(
  href: string | undefined,
  parameters: readonly { name: string; value: string }[],
): string | undefined {
  if (href === undefined || parameters.length === 0) return href
  const url = new URL(href)
  const added = new URLSearchParams(parameters.map(({ name, value }) => [name, value]))
  // Written to `search`, not through `searchParams`, which would rewrite the target's own query.
  url.search = url.search ? `${url.search}&${added}` : `?${added}`
  return url.href
}

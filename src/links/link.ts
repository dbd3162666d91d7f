import type { StoredParameter } from '../db/column-types.ts'
import type { Overlays } from '../db/tables.generated.ts'
import { describeTarget } from '../urls/destination-url.ts'
import type { FindOwnName } from '../visitors/bot-patterns.ts'
import type { Problem } from './check/verdict.ts'
import type { Redirect } from './fields/link-type.ts'
import type { FieldInput, FieldValues } from './fields.ts'
import type { Forwarding } from './forwarding.ts'
import type { Rule } from './rules/rule.ts'
import type { Split } from './split.ts'

export type LinkStatus = 'active' | 'disabled'
export type Block = { at: Date; reason: string | null }
/** A destination that fails its checks, and the time of the first failure in a row. */
export type Broken = { since: Date; problem: Problem; destination: string }
export type Meta = { title: string | null; description: string | null; image: string | null }

/** The address of a link: its alias on a domain, or on the service's own host (null). */
export type LinkAddress = { domainId: number | null; alias: string }

/** A link as its owner sees it. */
export type Link = Omit<FieldValues, 'password'> & {
  id: number
  accountId: number
  /** Null for a link on the service's own host. */
  domainId: number | null
  alias: string
  shortUrl: string
  status: LinkStatus
  /** Set if an admin disabled the link. Only an admin can enable it again. */
  block: Block | null
  /**
   * When the link was archived. An archived link still redirects, but the console omits it from the
   * list by default.
   */
  archivedAt: Date | null
  /** Set while the daily link check fails. Visitors are still redirected. */
  broken: Broken | null
  hasPassword: boolean
  /** The number of clicks used out of `maxClicks`. */
  usedClicks: number
  /** When the last of the available clicks was used. */
  usedUpAt: Date | null
  tags: readonly string[]
  createdAt: Date
  clicks: number
  lastClickAt: Date | null
}

/** Returns the fields of a link by their names in `fields.ts`. */
export function toFieldValues(link: Link): FieldValues {
  return { ...link, password: link.hasPassword }
}

/** The data of a link that is stored in other tables. */
export type LinkParts = {
  /** The host of the branded domain, or null on the service's own host. */
  domain: string | null
  /** The ids of the link's pixels, in order. */
  pixels: number[]
}

/** A link in a list. */
export type LinkEntry = Pick<
  Link,
  | 'id'
  | 'alias'
  | 'shortUrl'
  | 'url'
  | 'tags'
  | 'status'
  | 'block'
  | 'archivedAt'
  | 'startsAt'
  | 'broken'
  | 'expiresAt'
  | 'usedUpAt'
  | 'createdAt'
  | 'clicks'
  | 'metaTitle'
  | 'metaDescription'
>

export type SplashPage = {
  title: string
  message: string
  image: string | null
  link: string | null
  seconds: number | null
}

export type Overlay = {
  id: number
  type: Overlays['type']
  text: string
  button: string | null
  link: string | null
  image: string | null
  options: string[]
}

export type Lifetime = {
  startsAt: Date | null
  /** Whether each click must be counted before the visitor is redirected. */
  isLimited: boolean
  /** The link's own expired URL, or else that of its domain. */
  expiredUrl: string | null
}

/** The data of a link that visits need, including everything it refers to. */
export type VisitLink = {
  id: number
  alias: string
  shortUrl: string
  url: string
  /** The validated form of `url`. Validation is expensive, so it is done once and not per visit. */
  href?: string | undefined
  /** The link's destinations that are on blocked hosts, or undefined if there are none. */
  blockedDestinations?: ReadonlySet<string> | undefined
  status: LinkStatus
  /** Null if all visitors get the same destination. */
  split: Split | null
  /** Null if neither the link nor its domain forwards anything. */
  forwarding: Forwarding | null
  /** Null for most links, so that visits need not check each property. */
  lifetime: Lifetime | null
  /** Whether a click is a button pressed on a page that does not show the destination. */
  needsConfirmation: boolean
  /**
   * Whether this is an internal link of a QR code whose visits are counted by the link at its
   * destination, as scans.
   */
  isForward: boolean
  /** Whether this is the internal link of a QR code, all of whose visits are scans. */
  isCode: boolean
  redirect: Redirect
  expiresAt: Date | null
  rules: readonly Rule[]
  parameters: StoredParameter[]
  meta: Meta
  passwordHash: string | null
  splash: SplashPage | null
  overlay: Overlay | null
  pixels: { type: string; tag: string }[]
  createdAt: Date
  /** Finds a name of the account's own list of robots. Undefined without such a list. */
  findOwnRobot: FindOwnName | undefined
}

/**
 * The properties of a link as sent by a client. In an update, `undefined` leaves a field unchanged
 * and null clears it. In a creation, both select the default.
 */
export type LinkInput = Omit<FieldInput, 'url'> & {
  url: string
  alias?: string | null | undefined
  domain?: string | null | undefined
  /** Ids of the account's pixels. */
  pixels?: readonly number[] | null | undefined
  /** The result of `parseTags`. */
  tags?: readonly string[] | null | undefined
}

/**
 * Matches the host in a validated URL. A list shows a thousand links, and parsing each URL would
 * take ten times as long.
 */
const HOST = /^https?:\/\/([^/?#@]+)(?:[/?#]|$)/

/** Returns a link's display name: its title, or the host of its destination if it has no title. */
export function titleOf({ metaTitle, url }: Pick<Link, 'url' | 'metaTitle'>): string {
  return metaTitle ?? HOST.exec(url)?.[1] ?? describeTarget(new URL(url))
}

/**
 * Returns the display name of a link for visitors who do not know its password: its title or,
 * failing that, the host of its destination. If the password protects the destination, the alias
 * replaces the host.
 */
export function publicTitleOf({
  metaTitle,
  url,
  alias,
  hasPassword,
}: Pick<Link, 'url' | 'alias' | 'hasPassword' | 'metaTitle'>): string {
  return hasPassword ? (metaTitle ?? alias) : titleOf({ metaTitle, url })
}

import type { ParameterRow, TargetRow } from '../db/schema/links.ts'
import type { OverlayType } from '../db/schema/pages.ts'
import type { Redirect } from './link-type.ts'
import type { Rule } from './rules/rule.ts'

export type LinkStatus = 'active' | 'disabled'
export type Block = { at: Date; reason: string | null }
export type Meta = { title: string | null; description: string | null; image: string | null }

/** What can be said of a link's redirection and of who sees what. */
export type LinkSettings = {
  redirect: Redirect
  splashId: number | null
  overlayId: number | null
  expiresAt: Date | null
  rules: readonly Rule[]
  parameters: ParameterRow[]
  meta: Meta
}

/** Where visitors find a link: its alias on a domain, null being the service's own host. */
export type LinkAddress = { domainId: number | null; alias: string }

/** A link as its owner sees it. */
export type Link = LinkSettings & {
  id: number
  accountId: number
  /** Null for a link on the service's own host. */
  domainId: number | null
  alias: string
  shortUrl: string
  url: string
  status: LinkStatus
  /** That the operator has disabled it, which only the operator undoes. */
  block: Block | null
  hasPassword: boolean
  tags: readonly string[]
  createdAt: Date
  clicks: number
  lastClickAt: Date | null
  /** Views of the rules that ask for a country, a device, or a language and nothing else. */
  geoTargets: TargetRow[]
  deviceTargets: TargetRow[]
  languageTargets: TargetRow[]
}

/** What belongs to a link beside its own row. */
export type LinkParts = {
  /** The host of its branded domain, null on the service's own. */
  domain: string | null
  /** Ids of the pixels that it fires, in that order. */
  pixels: number[]
}

/** What a list shows of a link. */
export type LinkEntry = Pick<
  Link,
  | 'id'
  | 'alias'
  | 'shortUrl'
  | 'url'
  | 'tags'
  | 'status'
  | 'block'
  | 'expiresAt'
  | 'createdAt'
  | 'clicks'
> & {
  meta: Pick<Meta, 'title' | 'description'>
}

export type SplashPage = {
  title: string
  message: string
  image: string | null
  link: string | null
  seconds: number | null
}

export type Overlay = {
  id: number
  type: OverlayType
  text: string
  button: string | null
  link: string | null
  image: string | null
  options: string[]
}

/** A link as a visit needs it, with everything that it refers to. */
export type VisitLink = Omit<LinkSettings, 'splashId' | 'overlayId'> & {
  id: number
  alias: string
  shortUrl: string
  url: string
  /** `url` in the form that passes the rule for targets: checked once for all visits, as it is dear. */
  href?: string | undefined
  /** Of everything that the link leads to, what is on a blocked host; absent where nothing is. */
  blocked?: ReadonlySet<string> | undefined
  status: LinkStatus
  /** Whether its visits are counted by the link that it leads to. */
  forwards: boolean
  passwordHash: string | null
  splash: SplashPage | null
  overlay: Overlay | null
  pixels: { type: string; tag: string }[]
  createdAt: Date
}

import type { HttpContext } from '../../context.ts'
import { AppError, invalid } from '../../errors.ts'
import type { CallAccess } from '../../identity/key-scope.ts'
import { createLink, setLinkStatus } from '../../links/link.service.ts'
import type { Link, LinkInput } from '../../links/link.ts'
import { findByShortLink } from '../../links/link-list.service.ts'
import type { Scope } from '../../scope.ts'
import { formatTimestamp } from '../timestamp.ts'
import { type LegacyCall, type LegacyOperation, readOperationName } from './grammar.ts'

type SingleLinkCall = Exclude<LegacyCall, { operation: 'list_active_urls' }>

/** The key scope that each operation requires. */
const ACCESS: Readonly<Record<LegacyOperation, CallAccess>> = {
  create: { scope: 'create', boundKeys: true },
  disable: { scope: 'links', boundKeys: true },
  enable: { scope: 'links', boundKeys: true },
  info: { scope: 'read', boundKeys: true },
  list_active_urls: { scope: 'read', boundKeys: true },
}

/** Returns the access that a path's operation requires, or undefined if the operation is unknown. */
export function findOperationAccess(callPath: string): CallAccess | undefined {
  const name = readOperationName(callPath)
  return Object.hasOwn(ACCESS, name) ? ACCESS[name as LegacyOperation] : undefined
}

/**
 * Executes a call for one link and returns the fields of its reply. `now` is the time of the call.
 */
export async function executeCall(scope: Scope<HttpContext>, call: SingleLinkCall, now: Date) {
  switch (call.operation) {
    case 'create':
      return presentCreated(await createLink(scope, readLinkInput(call)), now)
    case 'disable':
    case 'enable': {
      const { id } = await findLink(call.shortUrl)
      const status = call.operation === 'disable' ? 'disabled' : 'active'
      return presentState(await setLinkStatus(scope, id, status), now)
    }
    case 'info':
      return presentInfo(await findLink(call.shortUrl), now)
  }

  /** Returns the account's link. Throws `not_found` for unknown links and those of other accounts. */
  async function findLink(shortUrl: string): Promise<Link> {
    const link = await findByShortLink(scope, shortUrl)
    if (!link) throw new AppError('not_found')
    return link
  }
}

/**
 * Converts a call's parameters to a `LinkInput`.
 *
 * @throws AppError `invalid_input` with the name of the field
 */
export function readLinkInput({
  url,
  customUrl,
  password,
  expiryDate,
  baseDomain,
}: Extract<LegacyCall, { operation: 'create' }>): LinkInput {
  if (password?.includes('\0')) throw invalid('password', 'nul_characters')
  if (expiryDate !== undefined && !/^\d{4}-\d\d-\d\d$/.test(expiryDate)) {
    throw invalid('expiresAt', 'day_form')
  }
  return { url, alias: customUrl, password, expiresAt: expiryDate, domain: baseDomain }
}

/** The properties of a link that the legacy API has. */
export type LegacyLink = Pick<
  Link,
  'createdAt' | 'lastClickAt' | 'clicks' | 'hasPassword' | 'expiresAt' | 'status'
> &
  LinkIdentity

type LinkIdentity = Pick<Link, 'id' | 'shortUrl' | 'alias' | 'url'>

/** Returns the data of `create`. `now` is the time of the call. */
export function presentCreated(link: LinkIdentity, now: Date) {
  return { ...presentIdentity(link), date_time: formatTimestamp(now) }
}

/** Returns the data of `disable` and `enable`. `now` is the time of the call. */
export function presentState(link: LegacyLink, now: Date) {
  return {
    url_id: String(link.id),
    status: link.status,
    short_url: link.shortUrl,
    date_time: formatTimestamp(now),
  }
}

/** Returns the data of `info`. `now` is the time of the call. Missing times are empty. */
export function presentInfo(link: LegacyLink, now: Date) {
  return {
    ...presentIdentity(link),
    date_created: formatTimestamp(link.createdAt),
    last_accessed: formatOptional(link.lastClickAt),
    total_visits: link.clicks,
    has_password: link.hasPassword,
    expiry_date: formatOptional(link.expiresAt),
    status: link.status,
    date_time: formatTimestamp(now),
  }
}

/** Returns the data of an error. `now` is the time of the call. */
export function presentError(message: string, now: Date) {
  return { message, date_time: formatTimestamp(now) }
}

function presentIdentity({ id, shortUrl, alias, url }: LinkIdentity) {
  return { url_id: String(id), short_url: shortUrl, short_url_part: alias, original_url: url }
}

function formatOptional(date: Date | null): string {
  return date ? formatTimestamp(date) : ''
}

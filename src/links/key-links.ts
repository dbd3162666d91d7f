import type { Context } from '../context.ts'
import type { Page } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { parseHost } from '../domains/hosts.ts'
import { AppError } from '../errors.ts'
import { createBoundKeyError, type KeyDomain } from '../identity/key-scope.ts'
import { type CreatedLink, createLinks } from './create-links.ts'
import * as links from './link.service.ts'
import type { Link, LinkEntry, LinkStatus } from './link.ts'
import type { LinkInput } from './link-input.ts'
import * as lists from './link-list.service.ts'
import type { NewLink } from './new-links.ts'
import { parseShortLink, shortUrlOf } from './short-url.ts'
import { type Actor, actAs } from './versions/actor.ts'
import { previewRestore, restoreVersion } from './versions/version.service.ts'

/**
 * The links that an API key can access: all links of its account or, if the key is bound to a
 * domain, the links on that domain. For a bound key, all other links are reported as not found, and
 * new links are created on its domain. Creating a link elsewhere, or moving one, throws AppError
 * `key_bound`.
 */
export type KeyReach = {
  accountId: number
  domain: KeyDomain | null
  /** The key, and the API in which it is used. */
  actor: Actor
}

/** Returns a link that the key can access. @throws AppError `not_found` */
export async function getKeyLink(
  ctx: Context,
  db: Db,
  { accountId, domain }: KeyReach,
  id: number,
): Promise<Link> {
  const link = await links.getLink(ctx, db, accountId, id)
  if (domain && link.domainId !== domain.id) throw new AppError('not_found')
  return link
}

export function listKeyLinks(
  ctx: Context,
  db: Db,
  { accountId, domain }: KeyReach,
  { filter, ...page }: lists.LinkListQuery,
): Promise<Page<LinkEntry>> {
  const keyFilter = { ...filter, ...(domain && { domainId: domain.id }) }
  return lists.listLinks(ctx, db, accountId, { ...page, filter: keyFilter })
}

/** Lists the links that the key can access like `listLinksAfter`. */
export function listKeyLinksAfter(
  ctx: Context,
  db: Db,
  { accountId, domain }: KeyReach,
  { filter, ...page }: Parameters<typeof lists.listLinksAfter>[3],
): ReturnType<typeof lists.listLinksAfter> {
  const keyFilter = { ...filter, ...(domain && { domainId: domain.id }) }
  return lists.listLinksAfter(ctx, db, accountId, { ...page, filter: keyFilter })
}

/**
 * Returns the link that `text` refers to (see `parseShortLink`), or undefined. If the text has no
 * host, a bound key's domain is assumed.
 */
export async function findKeyLink(
  ctx: Context,
  db: Db,
  { accountId, domain }: KeyReach,
  text: string,
): Promise<Link | undefined> {
  const parsed = await parseShortLink(text, ctx.hosts.isOurs)
  const isAlias = parsed !== undefined && parsed.host === undefined
  const shortLink = domain && isAlias ? shortUrlOf(domain.origin, parsed.alias) : text
  const link = await lists.findByShortLink(ctx, db, accountId, shortLink)
  return domain && link?.domainId !== domain.id ? undefined : link
}

export function listActiveKeyUrls(
  ctx: Context,
  db: Db,
  { accountId, domain }: KeyReach,
): AsyncIterable<string> {
  return lists.listActiveShortUrls(ctx, db, accountId, domain?.id)
}

/** Validates links like `prepareLinks`. */
export function prepareKeyLinks(
  ctx: Context,
  db: Db,
  { accountId, domain }: KeyReach,
  inputs: readonly LinkInput[],
): Promise<PromiseSettledResult<NewLink>[]> {
  return links.prepareLinks(ctx, db, accountId, inputs, domain)
}

export function createKeyLinks(
  ctx: Context,
  db: Db,
  { accountId, actor }: KeyReach,
  prepared: readonly PromiseSettledResult<NewLink>[],
): Promise<PromiseSettledResult<CreatedLink>[]> {
  return createLinks(actAs(ctx, actor), db, accountId, prepared)
}

export function createKeyLink(
  ctx: Context,
  db: Db,
  { accountId, domain, actor }: KeyReach,
  input: LinkInput,
): Promise<CreatedLink> {
  return links.createLink(actAs(ctx, actor), db, accountId, input, domain)
}

export async function updateKeyLink(
  ctx: Context,
  db: Db,
  reach: KeyReach,
  id: number,
  input: LinkInput,
): Promise<Link> {
  const { accountId, domain, actor } = reach
  if (domain) {
    await getKeyLink(ctx, db, reach, id)
    const isElsewhere = input.domain && parseHost(input.domain) !== domain.host
    // Null moves a link to the service's own host.
    if (input.domain === null || isElsewhere) {
      throw createBoundKeyError(domain, 'rejections.key_bound_moves')
    }
  }
  return links.updateLink(actAs(ctx, actor), db, accountId, id, input)
}

/**
 * Restores a version of a link. Throws AppError `key_bound` also if the link was on another domain
 * in that version.
 */
export async function restoreKeyLink(
  ctx: Context,
  db: Db,
  reach: KeyReach,
  id: number,
  version: number,
): Promise<Link> {
  const { accountId, domain, actor } = reach
  if (domain) {
    await getKeyLink(ctx, db, reach, id)
    const changes = await previewRestore(ctx, db, accountId, id, version)
    if (changes.domain) throw createBoundKeyError(domain, 'rejections.key_bound_moves')
  }
  return restoreVersion(actAs(ctx, actor), db, accountId, id, version)
}

export async function setKeyLinkStatus(
  ctx: Context,
  db: Db,
  reach: KeyReach,
  id: number,
  status: LinkStatus,
): Promise<Link> {
  if (reach.domain) await getKeyLink(ctx, db, reach, id)
  return links.setLinkStatus(actAs(ctx, reach.actor), db, reach.accountId, id, status)
}

export async function deleteKeyLink(
  ctx: Context,
  db: Db,
  reach: KeyReach,
  id: number,
): Promise<void> {
  if (reach.domain) await getKeyLink(ctx, db, reach, id)
  return links.deleteLink(actAs(ctx, reach.actor), db, reach.accountId, id)
}

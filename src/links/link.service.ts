import type { Context } from '../context.ts'
import { notify } from '../db/notify.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { normalizeHost } from '../domains/hosts.ts'
import { AppError } from '../errors.ts'
import { isAliasHeld } from '../holds/held-address.queries.ts'
import type { KeyDomain } from '../identity/key-scope.ts'
import { lockLinks } from './bulk-links.queries.ts'
import { type CreatedLink, createLinks } from './create-links.ts'
import * as queries from './link.queries.ts'
import type { Link, LinkAddress, LinkParts, LinkStatus } from './link.ts'
import { publishLinks } from './link-events.ts'
import type { LinkInput } from './link-input.ts'
import { findAliasHolder, findLinkParts } from './link-parts.queries.ts'
import { findNamedDomain } from './named-domain.ts'
import { type NewLink, readNewLinks } from './new-links.ts'
import { parseAlias } from './rules/alias.ts'
import { extractAlias } from './short-url.ts'
import { deleteLinks } from './trash.service.ts'
import { readLinkChanges, storeLinkChanges } from './update-link.ts'
import type { ActingContext } from './versions/actor.ts'
import { recordChanges } from './versions/record-changes.ts'
import type { RecordedTx } from './versions/recorded-tx.ts'

/** Returns a link. @throws AppError `not_found` */
export async function getLink(ctx: Context, db: Db, accountId: number, id: number): Promise<Link> {
  const link = await queries.findLink(db, ctx.config.baseUrl, accountId, id)
  if (!link) throw new AppError('not_found')
  return link
}

/**
 * Returns a link and its data in other tables.
 *
 * @throws AppError `not_found`
 */
export async function getLinkWithParts(
  ctx: Context,
  db: Db,
  accountId: number,
  id: number,
): Promise<Link & LinkParts> {
  const [link, parts] = await Promise.all([
    getLink(ctx, db, accountId, id),
    findLinkParts(db, accountId, id),
  ])
  if (!parts) throw new AppError('not_found')
  return { ...link, ...parts }
}

/**
 * Validates new links and hashes their passwords, outside of any transaction. Returns one result
 * per input, in order. `domain` is the domain of a bound key: links are created on it.
 */
export function prepareLinks(
  ctx: Context,
  db: Db,
  accountId: number,
  inputs: readonly LinkInput[],
  domain?: KeyDomain | null,
): Promise<PromiseSettledResult<NewLink>[]> {
  return readNewLinks(ctx, db, accountId, inputs, domain)
}

/**
 * Creates one short link.
 *
 * @throws AppError `invalid_input` naming the field, `alias_taken`, `alias_held`, `too_many_links`,
 * `key_bound`, `rate_limited` for passwords
 */
export async function createLink(
  ctx: ActingContext,
  db: Db,
  accountId: number,
  input: LinkInput,
  domain?: KeyDomain | null,
): Promise<CreatedLink> {
  const prepared = await prepareLinks(ctx, db, accountId, [input], domain)
  const [result] = await createLinks(ctx, db, accountId, prepared)
  if (result?.status !== 'fulfilled') throw result?.reason
  return result.value
}

/**
 * Updates the fields of a link that are set in `input`; null clears a field. Webhooks fire only if
 * something changed. `restored` is set when a version is restored: its id, and the status of the
 * link in that version.
 *
 * @throws AppError `not_found`, `invalid_input` naming the field, `alias_taken`, and `link_blocked`
 * when restoring
 */
export async function updateLink(
  ctx: ActingContext,
  db: Db,
  accountId: number,
  id: number,
  input: LinkInput,
  restored?: { version: number; status?: LinkStatus | undefined },
): Promise<Link> {
  const current = await getLink(ctx, db, accountId, id)
  await ctx.storage.require(db, accountId)
  const changes = await readLinkChanges(ctx, db, current, input)
  const { version, status } = restored ?? {}
  if (status) changes.columns.status = status
  const work = async (tx: RecordedTx) => {
    const before = await storeLinkChanges(tx, current, changes, ctx.clock())
    if (before?.isBlocked && status === 'active') throw new AppError('link_blocked')
    if (before?.changed) await publishLinks(ctx, tx, accountId, 'link.updated', [id])
    return before
  }
  await changeAndRecord(ctx, db, accountId, id, work, version)
  return getLink(ctx, db, accountId, id)
}

/**
 * Disables or enables a link. Does nothing if it already has that status.
 *
 * @throws AppError `not_found`, `link_blocked` if an admin disabled the link
 */
export async function setLinkStatus(
  ctx: ActingContext,
  db: Db,
  accountId: number,
  id: number,
  status: LinkStatus,
): Promise<Link> {
  await changeAndRecord(ctx, db, accountId, id, async (tx) => {
    const before = await queries.updateLink(tx, accountId, id, { status })
    if (before?.isBlocked && status === 'active') throw new AppError('link_blocked')
    if (before?.hasChanged) await publishLinks(ctx, tx, accountId, 'link.updated', [id])
    return before
  })
  return getLink(ctx, db, accountId, id)
}

/**
 * Moves a link to the trash. See `deleteLinks`.
 *
 * @throws AppError `not_found`
 */
export async function deleteLink(
  ctx: ActingContext,
  db: Db,
  accountId: number,
  id: number,
): Promise<void> {
  const { count } = await deleteLinks(ctx, db, accountId, [id])
  if (count === 0) throw new AppError('not_found')
}

/**
 * Returns whether a link can use an alias on a domain. `own` means that link `id` of the account
 * already has it, `held` that it is reserved. A free alias may be taken by another client before it
 * is used.
 *
 * @throws AppError `invalid_input` naming the field
 */
export async function checkAlias(
  ctx: Context,
  db: Db,
  accountId: number,
  { alias, domain, id }: Pick<LinkInput, 'domain'> & { alias: string; id?: number | undefined },
): Promise<'free' | 'taken' | 'own' | 'held'> {
  const parsedAlias = parseAlias('alias', extractAlias(alias, domain || ctx.config.baseUrl))
  const branded = await findNamedDomain(ctx, db, accountId, domain)
  const holder = await findAliasHolder(db, accountId, branded?.id ?? null, parsedAlias)
  if (!holder) {
    const host = branded ? normalizeHost(new URL(branded.origin).host) : ''
    return (await isAliasHeld(db, { alias: parsedAlias, host }, id)) ? 'held' : 'free'
  }
  return holder.account_id === accountId && holder.id === id ? 'own' : 'taken'
}

/** Changes a link like `changeLink` and records a version. */
function changeAndRecord(
  ctx: ActingContext,
  db: Db,
  accountId: number,
  id: number,
  work: (tx: RecordedTx) => Promise<LinkAddress | undefined>,
  restoredVersion?: number,
): Promise<void> {
  return changeLink(ctx, db, accountId, id, async (tx) => {
    const ids = (await lockLinks(tx, accountId, [id])).map((link) => link.id)
    if (ids.length === 0) return undefined
    return recordChanges(tx, { actor: ctx.actor, ids, restoredVersion }, work)
  })
}

/** Changes a link in a transaction, and notifies all processes of its old and new addresses. */
async function changeLink(
  ctx: Context,
  db: Db,
  accountId: number,
  id: number,
  work: (tx: Tx) => Promise<LinkAddress | undefined>,
): Promise<void> {
  const addresses = await inTransaction(db, async (tx) => {
    const before = await work(tx)
    if (!before) throw new AppError('not_found')
    const after = await queries.findLinkAddress(tx, accountId, id)
    const changed = after ? [before, after] : [before]
    await notify(
      tx,
      changed.map(({ domainId, alias }) => ({ kind: 'link', domainId, alias })),
    )
    return changed
  })
  for (const { domainId, alias } of addresses) ctx.visitLinks.invalidate(domainId, alias)
}

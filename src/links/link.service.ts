import type { Context } from '../context.ts'
import { unscoped } from '../db/account-rows.ts'
import type { RecordedTx } from '../db/recorded-tx.ts'
import { AppError } from '../errors.ts'
import { isAliasHeld } from '../holds/held-address.queries.ts'
import { createBoundKeyError } from '../identity/key-scope.ts'
import type { Scope } from '../scope.ts'
import { parseAlias } from '../urls/alias.ts'
import { normalizeHost, parseHost } from '../urls/host.ts'
import { extractAlias } from '../urls/short-url.ts'
import { listIds, lockLinks } from './changes/bulk-links.queries.ts'
import { changeAndNotify } from './changes/change-and-notify.ts'
import { readLinkChanges, storeLinkChanges } from './changes/update-link.ts'
import { type CreatedLink, createLinks } from './create-links.ts'
import { findAliasHolder, findLinkParts } from './fields/link-parts.queries.ts'
import * as queries from './link.queries.ts'
import type { Link, LinkAddress, LinkInput, LinkParts, LinkStatus } from './link.ts'
import { publishLinks } from './link-events.ts'
import { readNewLinks } from './new-links.ts'
import { findNamedDomain } from './short-link.ts'
import { deleteLinks } from './trash.service.ts'
import { type Recording, recordChanges } from './versions/record-changes.ts'

/** Returns a link. @throws AppError `not_found`, also if the caller's key is bound to another domain */
export async function getLink(scope: Scope<Context>, id: number): Promise<Link> {
  const link = await queries.findLink(scope, scope.config.baseUrl, id)
  if (!link || (scope.domain && link.domainId !== scope.domain.id)) throw new AppError('not_found')
  return link
}

/**
 * Returns a link and its data in other tables.
 *
 * @throws AppError `not_found`
 */
export async function getLinkWithParts(
  scope: Scope<Context>,
  id: number,
): Promise<Link & LinkParts> {
  const [link, parts] = await Promise.all([getLink(scope, id), findLinkParts(scope, id)])
  if (!parts) throw new AppError('not_found')
  return { ...link, ...parts }
}

/**
 * Creates one short link.
 *
 * @throws AppError `invalid_input` naming the field, `alias_taken`, `alias_held`, `too_many_links`,
 * `key_bound`, `rate_limited` for passwords
 */
export async function createLink(scope: Scope<Context>, input: LinkInput): Promise<CreatedLink> {
  const prepared = await readNewLinks(scope, [input])
  const [result] = await createLinks(scope, prepared)
  if (result?.status !== 'fulfilled') throw result?.reason
  return result.value
}

/**
 * Updates the fields of a link that are set in `input`; null clears a field. Webhooks fire only if
 * something changed. `restored` is set when a version is restored or undone: its id, and the status of
 * the link in or before that version.
 *
 * @throws AppError `not_found`, `invalid_input` naming the field, `alias_taken`, `key_bound` if the
 * caller's key is bound to a domain from which the link would move, and `link_blocked` when restoring
 */
export async function updateLink(
  scope: Scope<Context>,
  id: number,
  input: LinkInput,
  restored: { version?: number; undoes?: number; status?: LinkStatus | undefined } = {},
): Promise<Link> {
  const current = await getLink(scope, id)
  requireSameDomain(scope, input)
  const { version, undoes, status } = restored
  // Who has filled the storage must not prevent an undo.
  if (undoes === undefined) await scope.storage.require(scope)
  const changes = await readLinkChanges(scope, current, input)
  if (status) changes.columns.status = status
  const work = async (tx: RecordedTx) => {
    const before = await storeLinkChanges(tx, current, changes, scope.clock())
    if (before?.isBlocked && status === 'active') throw new AppError('link_blocked')
    if (before?.changed) await publishLinks({ ...scope, db: tx }, 'link.updated', [id])
    return before
  }
  await changeAndRecord(scope, id, work, { restoredVersion: version, undoes })
  return getLink(scope, id)
}

function requireSameDomain({ domain }: Pick<Scope, 'domain'>, input: LinkInput): void {
  if (!domain) return
  const isElsewhere = input.domain && parseHost(input.domain) !== domain.host
  // Null moves a link to the service's own host.
  if (input.domain === null || isElsewhere) {
    throw createBoundKeyError(domain, 'rejections.key_bound_moves')
  }
}

/**
 * Disables or enables a link. Does nothing if it already has that status.
 *
 * @throws AppError `not_found`, `link_blocked` if an admin disabled the link
 */
export async function setLinkStatus(
  scope: Scope<Context>,
  id: number,
  status: LinkStatus,
): Promise<Link> {
  await changeAndRecord(scope, id, async (tx) => {
    const before = await queries.updateLink({ ...scope, db: tx }, id, { status })
    if (before?.isBlocked && status === 'active') throw new AppError('link_blocked')
    if (before?.hasChanged) await publishLinks({ ...scope, db: tx }, 'link.updated', [id])
    return before
  })
  return getLink(scope, id)
}

/**
 * Moves a link to the trash. See `deleteLinks`.
 *
 * @throws AppError `not_found`
 */
export async function deleteLink(scope: Scope<Context>, id: number): Promise<void> {
  const { count } = await deleteLinks(scope, [id])
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
  scope: Scope<Context>,
  { alias, domain, id }: Pick<LinkInput, 'domain'> & { alias: string; id?: number | undefined },
): Promise<'free' | 'taken' | 'own' | 'held'> {
  const parsedAlias = parseAlias('alias', extractAlias(alias, domain || scope.config.baseUrl))
  const branded = await findNamedDomain(scope, domain)
  const holder = await findAliasHolder(scope, branded?.id ?? null, parsedAlias)
  if (!holder) {
    const host = branded ? normalizeHost(new URL(branded.origin).host) : ''
    return (await isAliasHeld(unscoped(scope), { alias: parsedAlias, host }, id)) ? 'held' : 'free'
  }
  return holder.account_id === scope.accountId && holder.id === id ? 'own' : 'taken'
}

/** Validates the input of `createLink`, or of `updateLink` for a current link. Throws their errors. */
export async function validateLink(
  scope: Scope<Context>,
  input: LinkInput,
  current?: Link,
): Promise<void> {
  // The result is not stored, so its password need not be hashed.
  const linkPasswords = { ...scope.linkPasswords, hash: async () => '' }
  const checking = { ...scope, linkPasswords }
  if (current) await readLinkChanges(checking, current, input)
  const [result] = current ? [] : await readNewLinks(checking, [input])
  if (result?.status === 'rejected') throw result.reason
}

/**
 * Checks that a link can use the alias in a form, unless the alias is blank.
 *
 * @throws AppError `alias_taken`, `alias_held`, `invalid_input` naming the field
 */
export async function requireFreeAlias(
  scope: Scope<Context>,
  { alias = '', domain, id }: { alias?: string; domain?: string; id?: number | undefined },
): Promise<void> {
  if (alias.trim() === '') return
  const state = await checkAlias(scope, { alias: alias.trim(), domain: domain || null, id })
  if (state === 'taken') throw new AppError('alias_taken')
  if (state === 'held') throw new AppError('alias_held', { field: 'alias' })
}

/**
 * Changes a link and records a version, in a transaction, and notifies all processes of its old and
 * new addresses. `work` returns the old one.
 */
function changeAndRecord(
  scope: Scope<Context>,
  id: number,
  work: (tx: RecordedTx) => Promise<LinkAddress | undefined>,
  restored: Pick<Recording, 'restoredVersion' | 'undoes'> = {},
): Promise<void> {
  return changeAndNotify(scope, async (tx) => {
    const ids = listIds(await lockLinks({ ...scope, db: tx }, [id]))
    const recording = { actor: scope.actor, ids, ...restored }
    const before = ids.length > 0 ? await recordChanges(tx, recording, work) : undefined
    if (!before) throw new AppError('not_found')
    const after = await queries.findLinkAddress({ ...scope, db: tx }, id)
    return { addresses: after ? [before, after] : [before], result: undefined }
  })
}

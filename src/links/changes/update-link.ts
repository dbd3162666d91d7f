import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../context.ts'
import { unscoped } from '../../db/account-rows.ts'
import type { RecordedTx } from '../../db/recorded-tx.ts'
import { AppError, checkAllAsync, invalid } from '../../errors.ts'
import type { AccountScope, Scope } from '../../scope.ts'
import {
  addTags,
  clearTags,
  dropUnusedTags,
  findTagIds,
  readTags,
} from '../../tags/link-tags.queries.ts'
import type { Tag } from '../../tags/tag.service.ts'
import { foldCase } from '../../text.ts'
import { extractAlias } from '../../urls/short-url.ts'
import type { FieldRules } from '../field.ts'
import { addPixels, lockPixels, readPixels, removePixels } from '../fields/link-parts.queries.ts'
import { createFieldRules, readParts } from '../fields/link-rules.ts'
import type { LinkColumns } from '../insert-links.queries.ts'
import { updateLink } from '../link.queries.ts'
import type { Link, LinkAddress, LinkInput } from '../link.ts'
import { applyClickLimit } from '../link-uses.queries.ts'
import { readFields, withoutHash } from '../read-fields.ts'
import { requireOrder } from '../rules/expiry.ts'
import { findNamedDomain } from '../short-link.ts'
import { requireFreeForAgent } from '../versions/agent-changes.queries.ts'

/** Validated changes of a link. Undefined parts are not changed. */
export type LinkChanges = {
  columns: Partial<LinkColumns>
  pixels?: readonly number[]
  tags?: readonly Tag[]
}

/**
 * Validates changes of a link, outside of any transaction. Throws `invalid_input` naming the field.
 */
export async function readLinkChanges(
  scope: Scope<Context>,
  current: Link,
  input: LinkInput,
): Promise<LinkChanges> {
  const newRules = createFieldRules(scope, current.rules)
  const rules: FieldRules = {
    ...newRules,
    // Accepts an unchanged destination even if validation has become stricter.
    checkUrl: (field, value) =>
      field === 'url' && value === current.url
        ? readUnchangedUrl(scope, field, value)
        : newRules.checkUrl(field, value),
  }
  const [{ alias, domain, ...parts }, columns] = await checkAllAsync(
    () => readAddress(scope, current, input),
    (hasFailed) =>
      readFields(input, hasFailed ? withoutHash(rules) : rules, (read) => {
        const { starts_at = current.startsAt, expires_at = current.expiresAt } = read
        if ('starts_at' in read || 'expires_at' in read) requireOrder(starts_at, expires_at)
      }),
  )
  return {
    ...parts,
    columns: {
      ...columns,
      ...(alias !== undefined && { alias }),
      ...(domain !== undefined && { domain_id: domain?.id ?? null }),
    },
  }
}

/** Validates the address and the parts in other tables. Undefined ones are not changed. */
async function readAddress(scope: Scope<Context>, current: Link, input: LinkInput) {
  const [parts, domain] = await checkAllAsync(
    () => readAlias(scope, current, input),
    () => findNamedDomain(scope, input.domain),
  )
  const { alias = current.alias } = parts
  if (parts.alias !== undefined || domain !== undefined) {
    const domainId = domain === undefined ? current.domainId : (domain?.id ?? null)
    await requireFreeForAgent(scope, { domainId, alias })
  }
  return { ...parts, domain }
}

function readAlias({ config: { baseUrl } }: Context, current: Link, input: LinkInput) {
  const site = input.domain === null ? baseUrl : input.domain || new URL(current.shortUrl).origin
  const alias = input.alias ? extractAlias(input.alias, site) : ''
  const isNew = alias !== '' && alias.normalize('NFC') !== current.alias
  return readParts({ ...input, alias: isNew ? alias : undefined }, site)
}

async function readUnchangedUrl(
  { blockList }: Context,
  field: string,
  value: string,
): Promise<string> {
  const url = URL.parse(value)
  if (url) await blockList.check(field, url)
  return value
}

/**
 * Stores changes. Returns the previous address of the link and whether anything changed, or
 * undefined if the link no longer exists.
 *
 * @throws AppError `busy` if the link's rules have changed in the meantime, `alias_taken`, or
 * `invalid_input` naming `pixels` or `tags`
 */
export async function storeLinkChanges(
  tx: RecordedTx,
  { accountId, id, rules }: Pick<Link, 'accountId' | 'id' | 'rules'>,
  { columns, pixels, tags }: LinkChanges,
  now: Date,
): Promise<(LinkAddress & { changed: boolean; isBlocked: boolean }) | undefined> {
  const before = await updateLink({ db: tx, accountId }, id, columns)
  if (!before) return undefined
  // A target list replaces only a part of the rules, so an update must not overwrite rules that
  // changed in the meantime.
  if (columns.rules && !isDeepStrictEqual(before.rules, rules)) throw new AppError('busy')
  if (columns.max_clicks !== undefined) await applyClickLimit(tx, id, now)
  const changed = [
    before.hasChanged,
    pixels !== undefined && (await replacePixels({ db: tx, accountId }, id, pixels)),
    tags !== undefined && (await replaceTags({ db: tx, accountId }, id, tags)),
  ]
  return { ...before, changed: changed.includes(true) }
}

/** Replaces the pixels of a link. Returns whether the pixels or their order changed. */
async function replacePixels(
  scope: AccountScope<RecordedTx>,
  linkId: number,
  ids: readonly number[],
) {
  const ownPixels = await lockPixels(scope, ids)
  if (!ids.every((id) => ownPixels.has(id))) throw invalid('pixels', 'unknown_pixel')
  const pixels = [...new Set(ids)]
  if (isDeepStrictEqual(pixels, await readPixels(unscoped(scope), linkId))) return false
  await removePixels(unscoped(scope), linkId)
  await addPixels(unscoped(scope), [{ linkId, pixels }])
  return true
}

/** Replaces the tags of a link. Returns whether the tags or their order changed. */
async function replaceTags(scope: AccountScope<RecordedTx>, linkId: number, tags: readonly Tag[]) {
  const before = (await readTags(unscoped(scope), [linkId])).get(linkId) ?? []
  const keys = tags.map(({ key }) => key)
  if (isDeepStrictEqual(keys, before.map(foldCase))) return false
  const tagIds = await findTagIds(unscoped(scope), [linkId])
  await clearTags(unscoped(scope), [linkId])
  await addTags(scope, [{ linkId, tags }])
  await dropUnusedTags(unscoped(scope), tagIds)
  return true
}

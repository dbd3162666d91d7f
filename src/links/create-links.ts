import { formatActor } from '../actor.ts'
import type { Context } from '../context.ts'
import { unscoped } from '../db/account-rows.ts'
import type { Db } from '../db/pool.ts'
import { type Tx, transact } from '../db/transaction.ts'
import { AppError, invalid } from '../errors.ts'
import type { AccountScope, Scope } from '../scope.ts'
import { addTags } from '../tags/link-tags.queries.ts'
import { randomAlias } from '../urls/alias.ts'
import { shortUrlOf } from '../urls/short-url.ts'
import { addPixels, lockPixels } from './fields/link-parts.queries.ts'
import {
  type InsertedLink,
  type InsertResult,
  insertEach,
  type LinkRow,
} from './insert-links.queries.ts'
import type { Link } from './link.ts'
import { publishLinks } from './link-events.ts'
import type { NewLink } from './new-links.ts'
import { releaseAliases } from './remove-links.queries.ts'

export type CreatedLink = Pick<Link, 'id' | 'alias' | 'shortUrl' | 'url' | 'createdAt'>

type StoredLink = InsertedLink & { alias: string }
type InsertRows = (rows: readonly LinkRow[]) => Promise<InsertResult[]>

/**
 * Two random aliases collide about once in 10^12 attempts. Repeated collisions therefore indicate a
 * bug.
 */
const ALIAS_ATTEMPTS = 5

/**
 * Creates links that `readNewLinks` has validated. Returns one result per input, in order: the
 * link, or a rejection with the error of `readNewLinks`, `alias_taken`, `alias_held`,
 * `too_many_links` or `invalid_input`. Throws errors that affect all links, such as
 * `storage_full`.
 */
export async function createLinks(
  scope: Scope<Context>,
  links: readonly PromiseSettledResult<NewLink>[],
): Promise<PromiseSettledResult<CreatedLink>[]> {
  const created_by = formatActor(scope.actor)
  const accepted = links.flatMap((link) =>
    link.status === 'fulfilled' ? { ...link.value, row: { ...link.value.row, created_by } } : [],
  )
  if (accepted.length === 0) return links as PromiseRejectedResult[]
  await scope.storage.require(scope)
  const stored = await scope.quotas.links.use(scope, accepted.length, (allowed) =>
    storeAndPublish(scope, accepted.slice(0, allowed)),
  )
  const results = stored.values()
  return links.map((link) => {
    if (link.status === 'rejected') return link
    const result = results.next().value ?? toRejection(new AppError('too_many_links'))
    if (result.status === 'rejected') return result
    const { id, alias, createdAt } = result.value
    const { row, origin } = link.value
    // Other processes may still cache the alias as unknown for up to a second.
    scope.visitLinks.invalidate(row.domain_id ?? null, alias)
    const created = { id, alias, shortUrl: shortUrlOf(origin, alias), url: row.url, createdAt }
    return { status: 'fulfilled', value: created }
  })
}

/**
 * Stores links, and publishes their creation if a webhook subscribes to it. Uses a transaction only
 * if rows in other tables are written too.
 */
async function storeAndPublish(
  scope: Scope<Context>,
  links: readonly NewLink[],
): Promise<PromiseSettledResult<StoredLink>[]> {
  if (links.length === 0) return []
  const hasSubscriber = await scope.outbox.hasSubscribers(scope, 'link.created')
  const hasParts = links.some(({ pixels, tags }) => pixels.length > 0 || tags.length > 0)
  if (!hasSubscriber && !hasParts)
    return insertWithAliases(unscoped(scope), links, chooseInsert(scope, unscoped(scope), links))
  return transact(scope, async (tx) => {
    const results = await storeWithParts(tx, links)
    const ids = results.flatMap((each) => (each.status === 'fulfilled' ? each.value.id : []))
    await publishLinks(tx, 'link.created', ids)
    return results
  })
}

/** Returns the function that inserts links. A single link is batched with concurrent requests. */
function chooseInsert({ insertLink }: Context, db: Db, links: readonly NewLink[]): InsertRows {
  const isSingle = links.length === 1 && !db.isTransaction
  const isAliasChosen = links[0]?.row.alias !== undefined
  if (!isSingle) return (rows) => insertEach(db, rows)
  return (rows) => Promise.all(rows.map((row) => insertLink(row, isAliasChosen)))
}

async function storeWithParts(
  scope: AccountScope<Tx>,
  links: readonly NewLink[],
): Promise<PromiseSettledResult<StoredLink>[]> {
  const ownPixels = await lockPixels(
    scope,
    links.flatMap(({ pixels }) => pixels),
  )
  const ownsAllPixels = ({ pixels }: NewLink) => pixels.every((id) => ownPixels.has(id))
  const insertable = links.filter(ownsAllPixels)
  const stored = await insertWithAliases(unscoped(scope), insertable, (rows) =>
    insertEach(unscoped(scope), rows),
  )
  const created = stored.flatMap((result, index) => {
    const link = insertable[index]
    return result.status === 'fulfilled' && link ? { linkId: result.value.id, ...link } : []
  })
  await addPixels(unscoped(scope), created)
  await addTags(scope, created, { isNew: true })
  const results = stored.values()
  return links.map((link) => {
    const result = ownsAllPixels(link) ? results.next().value : undefined
    return result ?? toRejection(invalid('pixels', 'unknown_pixel'))
  })
}

/**
 * Inserts links, and retries when a random alias is taken. If a chosen alias is only taken by a
 * link in the account's own trash, that link gets another alias.
 */
async function insertWithAliases(
  db: Db,
  links: readonly NewLink[],
  insertRows: InsertRows,
  attempts = ALIAS_ATTEMPTS,
): Promise<PromiseSettledResult<StoredLink>[]> {
  if (links.length === 0) return []
  const rows = links.map(({ row }): LinkRow => ({ ...row, alias: row.alias ?? randomAlias() }))
  const inserted = await insertRows(rows)
  const results: PromiseSettledResult<StoredLink>[] = []
  for (const [index, link] of links.entries()) {
    const result = inserted[index]
    const alias = rows[index]?.alias ?? ''
    if (result?.status === 'rejected') results.push(result)
    else if (result?.value) {
      results.push({ status: 'fulfilled', value: { ...result.value, alias } })
    } else if (link.row.alias !== undefined && !(await releaseAlias(db, link, alias))) {
      results.push(toRejection(new AppError('alias_taken')))
    } else if (attempts > 1) {
      results.push(...(await insertWithAliases(db, [link], insertRows, attempts - 1)))
    } else results.push(toRejection(new Error(`no free alias in ${ALIAS_ATTEMPTS} attempts`)))
  }
  return results
}

function releaseAlias(db: Db, { row }: NewLink, alias: string): Promise<boolean> {
  return releaseAliases({ db, accountId: row.account_id }, [
    { domainId: row.domain_id ?? null, alias },
  ])
}

function toRejection(reason: unknown): PromiseRejectedResult {
  return { status: 'rejected', reason }
}

import type { Context } from '../context.ts'
import { isUnavailable } from '../db/errors.ts'
import type { Entry, Lookups } from '../db/local-store.ts'
import type { Db } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import { normalizeAlias } from '../urls/alias.ts'
import * as queries from './bios.queries.ts'
import {
  type BioPage,
  type BioRow,
  type ButtonTarget,
  getHiddenReason,
  toBio,
  type VisitedBio,
} from './bios.queries.ts'

/**
 * Returns the bio page at `/b/<alias>` without its hidden buttons, or null if there is none. While
 * the database is unavailable, reads the local store.
 *
 * @throws AppError `gone` while the account is suspended, `database_unavailable`
 */
export async function findBioByAlias(
  ctx: Context,
  db: Db,
  requestedAlias: string,
): Promise<BioPage | null> {
  const alias = normalizeAlias(requestedAlias)
  if (alias === undefined) return null
  const visited = await queryOrReadStore(
    () => queryBio(ctx, db, alias),
    () => readStoredBio(ctx, alias),
  )
  if (!visited) return null
  const { bio, targets, list } = visited
  const at = { list, now: ctx.clock() }
  return { ...bio, links: bio.links.filter((button) => !getHiddenReason(button, targets, at)) }
}

/**
 * Returns the picture of the page at `/b/<alias>`, or undefined if it has none. While the database
 * is unavailable, reads the local store.
 *
 * @throws AppError `database_unavailable`
 */
export async function findBioPicture(
  { store }: Context,
  db: Db,
  requestedAlias: string,
): Promise<{ picture: Buffer; hash: string } | undefined> {
  const alias = normalizeAlias(requestedAlias)
  if (alias === undefined) return undefined
  const row = await queryOrReadStore(
    async () => (await queries.findPicture(db, alias)) ?? null,
    () => getStoredPicture(findStoredBio(store.latest, alias)),
  )
  if (!row?.picture || !row.picture_hash) return undefined
  return { picture: row.picture, hash: row.picture_hash }
}

async function queryBio({ blockList }: Context, db: Db, alias: string) {
  const visited = await queries.findBioByAlias(db, alias)
  if (visited?.isSuspended) throw new AppError('gone')
  if (!visited) return null
  const targets = await queries.findTargets(db, visited.bio.links)
  return { bio: visited.bio, targets, list: await blockList.current() }
}

/**
 * Reads the page from the local store. Returns undefined if the store does not have the page or the
 * blocked hosts.
 */
function readStoredBio({ store, blockList }: Context, alias: string) {
  const list = blockList.latest()
  const visited = list && findStoredBio(store.latest, alias)
  if (visited?.isSuspended) throw new AppError('gone')
  return visited && { ...visited, list }
}

function getStoredPicture(visited: VisitedBio | undefined) {
  if (!visited) return undefined
  const { bio, picture, isSuspended } = visited
  return isSuspended ? null : { picture, picture_hash: bio.pictureHash }
}

/**
 * Returns the result of `query`. While the database is unavailable, returns the result of
 * `readStore` unless it is undefined.
 */
async function queryOrReadStore<T>(
  query: () => Promise<T>,
  readStore: () => T | undefined,
): Promise<T> {
  try {
    return await query()
  } catch (error) {
    const result = isUnavailable(error) ? readStore() : undefined
    if (result === undefined) throw error
    return result
  }
}

/** Returns a page from the local store, or undefined if the store does not have it. */
function findStoredBio({ find, get }: Lookups, alias: string): VisitedBio | undefined {
  const page = find('bio_page', alias)
  const account = page && get('account', Number(page.value.account_id))
  if (!account) return undefined
  const { created_at: createdAt, picture, ...value } = page.value as StoredValue
  const row = { ...value, id: page.id, alias, created_at: new Date(createdAt) }
  const targets = new Map<number, ButtonTarget>()
  for (const { linkId } of value.links) {
    const link = linkId === undefined ? undefined : get('link', linkId)
    if (link) targets.set(link.id, toTarget(link, get))
  }
  return {
    bio: toBio(row),
    picture: picture === null ? null : Buffer.from(picture, 'base64'),
    isSuspended: account.value.suspended_at !== null,
    targets,
  }
}

function toTarget({ value }: Entry, get: Lookups['get']): ButtonTarget {
  const { url, status, starts_at, ends_at, used_up_at, expired_url, domain_id } = value
  const domain = domain_id === null ? undefined : get('domain', Number(domain_id))
  return {
    url: String(url),
    status: status === 'active' ? 'active' : 'disabled',
    // The store does not have this. It only affects the reason that the page's owner sees.
    isBlocked: false,
    startsAt: toDate(starts_at),
    endsAt: toDate(ends_at),
    usedUpAt: toDate(used_up_at),
    redirectsWhenExpired: (expired_url ?? domain?.value.expired_url ?? null) !== null,
  }
}

function toDate(text: unknown): Date | null {
  return typeof text === 'string' ? new Date(text) : null
}

/** The columns as JSON. The time is a text, and the picture is in base64. */
type StoredValue = Omit<BioRow, 'id' | 'alias' | 'created_at'> & {
  account_id: number
  created_at: string
  picture: string | null
}

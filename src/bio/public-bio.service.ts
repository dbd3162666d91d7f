import type { Context } from '../context.ts'
import { isUnavailable } from '../db/errors.ts'
import type { Db } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import { normalizeAlias } from '../links/rules/alias.ts'
import * as queries from './bio.queries.ts'
import type { BioPage, VisitedBio } from './bio.ts'
import { getHiddenReason } from './hidden-button.ts'
import { findStoredBio } from './stored-bio.ts'

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

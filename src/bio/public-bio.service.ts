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
  const found = await queryOrReadStore(
    () => queryBio(ctx, db, alias),
    () => readStoredBio(ctx, alias),
  )
  if (!found) return null
  const { bio, targets, list } = found
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
  const found = await queryOrReadStore(
    async () => (await queries.findPicture(db, alias)) ?? null,
    () => getStoredPicture(findStoredBio(store.latest, alias)),
  )
  if (!found?.picture || !found.picture_hash) return undefined
  return { picture: found.picture, hash: found.picture_hash }
}

async function queryBio({ blockList }: Context, db: Db, alias: string) {
  const found = await queries.findBioByAlias(db, alias)
  if (found?.isSuspended) throw new AppError('gone')
  if (!found) return null
  const targets = await queries.findTargets(db, found.bio.links)
  return { bio: found.bio, targets, list: await blockList.current() }
}

/**
 * Reads the page from the local store. Returns undefined if the store does not have the page or the
 * blocked hosts.
 */
function readStoredBio({ store, blockList }: Context, alias: string) {
  const list = blockList.latest()
  const found = list && findStoredBio(store.latest, alias)
  if (found?.isSuspended) throw new AppError('gone')
  return found && { ...found, list }
}

function getStoredPicture(found: VisitedBio | undefined) {
  if (!found) return undefined
  const { bio, picture, isSuspended } = found
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
    const found = isUnavailable(error) ? readStore() : undefined
    if (found === undefined) throw error
    return found
  }
}

import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { invalid } from '../errors.ts'
import { heldDestinationsAmong } from './held-address.queries.ts'

/** The problem with a held destination, worded to follow the field's name. */
export const DESTINATION_HELD =
  'is reserved: your link to it was disabled by an admin or deleted while it was reported'

/**
 * Rejects a URL on a blocked host, and a URL that is reserved for the account unless it is one of
 * `kept`. New and changed links are checked elsewhere; this is for everything else that contains
 * URLs.
 *
 * @throws AppError `invalid_input` naming `field`
 */
export async function checkDestination(
  { blockList }: Pick<Context, 'blockList'>,
  db: Db,
  accountId: number,
  field: string,
  url: URL,
  kept: readonly (string | null)[] = [],
): Promise<void> {
  await blockList.check(field, url)
  const { href } = url
  if (kept.includes(href)) return
  const reserved = await heldDestinationsAmong(db, accountId, [href])
  if (reserved.size > 0) throw invalid(field, DESTINATION_HELD)
}

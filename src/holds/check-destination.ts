import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { invalid } from '../errors.ts'
import { heldDestinationsAmong } from './held-address.queries.ts'

/** What is wrong with a destination that is held, as it follows the field's name. */
export const DESTINATION_HELD =
  'is reserved: your link to it was disabled by an admin or deleted while it was reported'

/**
 * Refuses a destination that leads to a blocked host, or that is reserved for the account and not among
 * those `kept`. New and changed links are checked elsewhere; this is for whatever else has links in it.
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
  const held = await heldDestinationsAmong(db, accountId, [href])
  if (held.size > 0) throw invalid(field, DESTINATION_HELD)
}

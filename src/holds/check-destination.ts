import type { Db } from '../db/pool.ts'
import { invalid } from '../errors.ts'
import { heldDestinationsAmong } from './held-address.queries.ts'

/** What is wrong with a destination that is held, as it follows the field's name. */
export const DESTINATION_HELD =
  'is reserved: your link to it was disabled by an admin or deleted while it was reported'

/**
 * Refuses a destination that an account may not link to, unless it is one of those `kept`. New and changed
 * links are checked by the database; this is for whatever else has links in it.
 *
 * @throws AppError `invalid_input` naming `field`
 */
export async function checkDestination(
  db: Db,
  accountId: number,
  field: string,
  { href }: URL,
  kept: readonly (string | null)[] = [],
): Promise<void> {
  if (kept.includes(href)) return
  const held = await heldDestinationsAmong(db, accountId, [href])
  if (held.size > 0) throw invalid(field, DESTINATION_HELD)
}

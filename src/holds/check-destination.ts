import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { invalid } from '../errors.ts'
import { findHeldDestinations } from './held-address.queries.ts'

/**
 * Rejects a URL on a blocked host. Also rejects a URL that is reserved for the account, unless it
 * is one of `current`. The destinations of links are checked elsewhere; this is for everything else
 * that contains URLs.
 *
 * @throws AppError `invalid_input` naming `field`
 */
export async function checkDestination(
  { blockList }: Pick<Context, 'blockList'>,
  db: Db,
  accountId: number,
  field: string,
  url: URL,
  current: readonly (string | null)[] = [],
): Promise<void> {
  await blockList.check(field, url)
  const { href } = url
  if (current.includes(href)) return
  const reserved = await findHeldDestinations(db, accountId, [href])
  if (reserved.size > 0) throw invalid(field, 'destination_held')
}

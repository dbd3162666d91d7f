import type { Db } from './pool.ts'
import { runPrepared } from './prepared.ts'
import type { Schema } from './schema.ts'

/** The block of a counter that counts all of an owner's rows. */
export const WHOLE = -1
/** By how many bits ids are shifted to give their block, as the trigger on links does. */
export const BLOCK_BITS = 14
/** Ids in one block of links. */
export const BLOCK_SIZE = 2 ** BLOCK_BITS

/**
 * How many rows of `kind` the owner has, from counters that triggers keep: at most 16 rows are
 * read, however many are counted.
 */
export async function countRows(db: Db, kind: keyof Schema, ownerId: number): Promise<number> {
  const query = db
    .selectFrom('row_counts')
    .select(({ fn }) => fn.sum<string | null>('rows').as('total'))
    .where('kind', '=', kind)
    .where('owner_id', '=', ownerId)
    .where('block', '=', WHOLE)
    .compile()
  const [row] = await runPrepared(db, query)
  return Number(row?.total)
}

import type { Db } from './pool.ts'
import type { Schema } from './schema.ts'

/** The block of a counter that counts all of an owner's rows. */
export const WHOLE = -1
/** Ids in one block of links: what the trigger on them shifts by 16 bits. */
export const BLOCK_SIZE = 2 ** 16

/**
 * How many rows of `kind` the owner has, from counters that triggers keep: at most 16 rows are
 * read, however many are counted.
 */
export async function countRows(db: Db, kind: keyof Schema, ownerId: number): Promise<number> {
  const { total } = await db
    .selectFrom('row_counts')
    .select(({ fn }) => fn.sum<string | null>('rows').as('total'))
    .where('kind', '=', kind)
    .where('owner_id', '=', ownerId)
    .where('block', '=', WHOLE)
    .executeTakeFirstOrThrow()
  return Number(total)
}

import type { Db } from './pool.ts'
import { runPrepared } from './prepared.ts'
import type { Schema } from './schema.ts'

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
    .compile()
  const [row] = await runPrepared(db, query)
  return Number(row?.total)
}

import type { Db } from './pool.ts'
import { runPrepared } from './prepared.ts'
import type { Schema } from './schema.ts'

/**
 * Returns the owner's number of rows of a kind, from counters maintained by triggers. Reads at most
 * 16 rows, whatever the number.
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

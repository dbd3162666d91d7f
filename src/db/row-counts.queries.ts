import type { Db } from './pool.ts'
import { runPrepared } from './prepared.ts'
import type { DB } from './tables.generated.ts'

/**
 * Returns the number of an owner's rows of one kind, or their bytes, from counters that triggers maintain. Reads
 * few rows, however large the number is.
 */
export async function countRows(
  db: Db,
  kind: keyof DB | 'answer_bytes',
  ownerId: number,
): Promise<number> {
  const query = db
    .selectFrom('row_counts')
    .select(({ fn }) => fn.sum<string | null>('rows').as('total'))
    .where('kind', '=', kind)
    .where('owner_id', '=', ownerId)
    .compile()
  const [row] = await runPrepared(db, query)
  return Number(row?.total)
}

/** Returns the numbers of the rows of several owners, like `countRows`. Owners without rows are missing. */
export async function countRowsOfEach(
  db: Db,
  kind: keyof DB,
  ownerIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await db
    .selectFrom('row_counts')
    .select(['owner_id', ({ fn }) => fn.sum<string>('rows').as('total')])
    .where('kind', '=', kind)
    .where('owner_id', 'in', [...ownerIds])
    .groupBy('owner_id')
    .execute()
  return new Map(rows.map(({ owner_id, total }) => [Number(owner_id), Number(total)]))
}

import type { TestApp } from './app.ts'
import type { Owner } from './make.ts'

/** Returns the bytes that count for an account. */
export async function readBytes(app: TestApp, { account }: Owner): Promise<number> {
  const { rows } = await app.services.database.pool.query(
    `select coalesce(sum(rows), 0)::int as bytes from row_counts
     where kind = 'bytes' and owner_id = $1`,
    [account.id],
  )
  return rows[0]?.bytes
}

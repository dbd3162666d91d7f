import { randomBytes } from 'node:crypto'
import type { Db } from './pool.ts'

export type Instance = {
  /** What a domain must answer at the well-known address to prove that it points here. */
  token: string
  /** The key of the hashes that stand for visitors. */
  visitorKey: Buffer
}

/** What makes this installation itself, made on the first call, the same for every process. */
export async function loadInstance(db: Db): Promise<Instance> {
  await db
    .insertInto('instance')
    .values({ token: randomBytes(24).toString('base64url'), visitor_key: randomBytes(32) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const row = await db.selectFrom('instance').selectAll().executeTakeFirstOrThrow()
  return { token: row.token, visitorKey: row.visitor_key }
}

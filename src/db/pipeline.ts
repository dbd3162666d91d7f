import { CompiledQuery, type ConnectionProvider, PostgresDialect, Transaction } from 'kysely'
import type { Db } from './pool.ts'
import type { Schema } from './schema.ts'
import type { Tx } from './transaction.ts'

/** Never asked for a connection: a transaction has its own. */
const dialect = new PostgresDialect({
  pool: () => Promise.reject(new Error('a transaction has a connection already')),
})

/**
 * Runs `work` in a new transaction on a database that was opened with `pipeline`. What `work` asks for
 * together is sent together, and done in that order, so PostgreSQL need not wait for this side after
 * each answer. A `work` that throws leaves nothing behind, and nothing that it still asks for is done.
 */
export function inPipeline<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  const executor = db.getExecutor()
  return executor.provideConnection(async (connection) => {
    const say = (text: string) => connection.executeQuery(CompiledQuery.raw(text))
    let isOver = false
    const begun = say('begin')
    begun.catch(() => {})
    const own: ConnectionProvider = {
      async provideConnection(use) {
        await begun
        // What comes too late must not be done outside of the transaction.
        if (isOver) throw new Error('the transaction is over')
        return use(connection)
      },
    }
    const tx = new Transaction<Schema>({
      ...{ config: { dialect }, dialect, driver: dialect.createDriver() },
      executor: executor.withConnectionProvider(own),
    })
    try {
      const result = await work(tx)
      await begun
      isOver = true
      await say('commit')
      return result
    } catch (error) {
      isOver = true
      // On a connection that broke this fails too, and the first error is the one to tell of.
      await say('rollback').catch(() => {})
      throw error
    }
  })
}

/** The results of all, once all have ended; throws what was thrown first. */
export async function together<T extends readonly unknown[]>(
  work: readonly [...{ [Index in keyof T]: Promise<T[Index]> }],
): Promise<T> {
  const all = Promise.all(work)
  await Promise.allSettled([all, ...work])
  return (await all) as unknown as T
}

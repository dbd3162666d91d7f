import type { Db } from '../../src/db/pool.ts'

/**
 * Wraps a database to count its statements, the most statements at the same time, and the bytes of
 * the largest binary result.
 */
export function countStatements(real: Db) {
  const statistics = { statements: 0, maxConcurrent: 0, running: 0, maxResultBytes: 0 }
  const db = new Proxy(real, {
    get(target, name) {
      if (name !== 'executeQuery') {
        const value = Reflect.get(target, name)
        // The proxy cannot access private fields.
        return typeof value === 'function' ? value.bind(target) : value
      }
      return async (...query: Parameters<Db['executeQuery']>) => {
        statistics.statements += 1
        statistics.running += 1
        statistics.maxConcurrent = Math.max(statistics.maxConcurrent, statistics.running)
        try {
          const result = await target.executeQuery(...query)
          statistics.maxResultBytes = Math.max(statistics.maxResultBytes, countBytes(result.rows))
          return result
        } finally {
          statistics.running -= 1
        }
      }
    },
  })
  return { db, statistics }
}

function countBytes(rows: readonly unknown[]): number {
  const values = rows.flatMap((row) => Object.values(row as object))
  return values.reduce((sum, value) => sum + (Buffer.isBuffer(value) ? value.length : 0), 0)
}

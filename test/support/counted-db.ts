import type { Db } from '../../src/db/pool.ts'

/**
 * Wraps a database to count prepared statements, concurrent statements and the maximum size of
 * binary results.
 */
export function countStatements(real: Db) {
  const seen = { statements: 0, atOnce: 0, running: 0, largest: 0 }
  const db = new Proxy(real, {
    get(target, name) {
      if (name !== 'executeQuery') {
        const value = Reflect.get(target, name)
        // The proxy cannot access private fields.
        return typeof value === 'function' ? value.bind(target) : value
      }
      return async (...query: Parameters<Db['executeQuery']>) => {
        seen.statements += 1
        seen.running += 1
        seen.atOnce = Math.max(seen.atOnce, seen.running)
        try {
          const result = await target.executeQuery(...query)
          seen.largest = Math.max(seen.largest, bytesOf(result.rows))
          return result
        } finally {
          seen.running -= 1
        }
      }
    },
  })
  return { db, seen }
}

function bytesOf(rows: readonly unknown[]): number {
  const values = rows.flatMap((row) => Object.values(row as object))
  return values.reduce((sum, value) => sum + (Buffer.isBuffer(value) ? value.length : 0), 0)
}

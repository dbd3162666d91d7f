import type { Db } from '../../src/db/pool.ts'

/** The database with its prepared statements counted, and how many there are at once at most. */
export function countStatements(real: Db) {
  const seen = { statements: 0, atOnce: 0, running: 0 }
  const db = new Proxy(real, {
    get(target, name) {
      if (name !== 'executeQuery') {
        const value = Reflect.get(target, name)
        // Its private fields are not the proxy's.
        return typeof value === 'function' ? value.bind(target) : value
      }
      return async (...query: Parameters<Db['executeQuery']>) => {
        seen.statements += 1
        seen.running += 1
        seen.atOnce = Math.max(seen.atOnce, seen.running)
        try {
          return await target.executeQuery(...query)
        } finally {
          seen.running -= 1
        }
      }
    },
  })
  return { db, seen }
}

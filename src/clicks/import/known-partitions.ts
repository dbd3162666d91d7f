import type { Db } from '../../db/pool.ts'
import { monthOf, startOfMonth } from '../storage/months.ts'
import { createPartitions } from '../storage/partitions.ts'

/**
 * Caches which months of raw clicks have a partition, so that a batch only creates missing ones.
 */
export function createKnownPartitions(db: Db) {
  const existingMonths = new Set<number>()

  /**
   * Creates the partitions for clicks at these times (in milliseconds), except for months before
   * `oldest`.
   */
  async function prepare(times: Float64Array, oldest: number): Promise<void> {
    const missing = new Set<number>()
    let from = 0
    let to = 0
    for (const at of times) {
      if (at >= from && at < to) continue
      const month = monthOf(at)
      from = startOfMonth(month)
      to = startOfMonth(month + 1)
      if (month >= oldest && !existingMonths.has(month)) missing.add(month)
    }
    if (missing.size === 0) return
    await createPartitions(db, missing)
    for (const month of missing) existingMonths.add(month)
  }

  return { prepare, invalidate: () => existingMonths.clear() }
}

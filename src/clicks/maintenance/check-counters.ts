import type { Db } from '../../db/pool.ts'
import { COUNTED_TABLES, listAccountIds, readCounterDifferences } from './check-counters.queries.ts'

/** A counter of an account that differs from the number of rows. */
export type CounterDiscrepancy = {
  accountId: number
  linkId?: never
  check: string
  expected: number
  found: number
}

/**
 * Recounts the links, QR codes and bio pages of every account and yields the counters that differ.
 * Each page of accounts is read from one snapshot.
 */
export async function* checkCounters(db: Db): AsyncGenerator<CounterDiscrepancy, void> {
  let last = 0
  for (;;) {
    const ids = await listAccountIds(db, last)
    for (const { account_id, expected, found, kind } of await readCounterDifferences(db, ids)) {
      yield { accountId: account_id, check: `counter of ${COUNTED_TABLES[kind]}`, expected, found }
    }
    if (ids.length === 0) return
    last = ids.at(-1) ?? 0
  }
}

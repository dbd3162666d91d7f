import type { Db } from '../../db/pool.ts'
import { WHOLE } from '../../db/row-counts.queries.ts'
import { COUNTED, listAccountIds, readCounterDifferences } from './check-counters.queries.ts'

/** A counter of an account's rows that differs from their number. */
export type CounterDiscrepancy = {
  accountId: number
  linkId?: never
  check: string
  expected: number
  found: number
}

/**
 * Recounts the links of every account and those that were clicked, in all and by blocks of ids, and its
 * QR codes, and gives each counter that differs. Each page of accounts is read from one snapshot.
 */
export async function* checkCounters(db: Db): AsyncGenerator<CounterDiscrepancy, void> {
  let last = 0
  for (;;) {
    const ids = await listAccountIds(db, last)
    for (const { account_id, expected, found, kind, block } of await readCounterDifferences(
      db,
      ids,
    )) {
      const check = `counter of ${COUNTED[kind]}${block === WHOLE ? '' : ` in block ${block}`}`
      yield { accountId: account_id, check, expected, found }
    }
    if (ids.length === 0) return
    last = ids.at(-1) ?? 0
  }
}

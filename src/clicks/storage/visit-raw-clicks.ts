import { setImmediate as turn } from 'node:timers/promises'
import { prefetch } from '../../concurrency/prefetch.ts'
import type { Db } from '../../db/pool.ts'
import { eachClick, type StoredClick } from '../encoding/raw-clicks.ts'
import { type RawClickDays, readRawClicks } from './raw-clicks.queries.ts'

/** Bytes per turn of the event loop: some 10,000 clicks, which take half a millisecond. */
const BYTES_PER_TURN = 256 * 1024

/**
 * Calls `visit` with every raw click of an owner on some days, yielding to other work in between.
 */
export async function visitRawClicks(
  db: Db,
  wanted: RawClickDays,
  visit: (click: StoredClick, blocks: Buffer) => void,
): Promise<void> {
  for await (const blocks of prefetch(readRawClicks(db, wanted))) {
    const visitOne = (click: StoredClick) => visit(click, blocks)
    for (let from = 0; from < blocks.length; await turn()) {
      from = eachClick(blocks, visitOne, { from, until: from + BYTES_PER_TURN })
    }
  }
}

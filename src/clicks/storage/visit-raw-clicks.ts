import { setImmediate as turn } from 'node:timers/promises'
import { prefetch } from '../../concurrency/limit.ts'
import type { Db } from '../../db/pool.ts'
import { eachClick, type StoredClick } from '../encoding/raw-clicks.ts'
import { type RawClickDays, readRawClicks } from './raw-clicks.queries.ts'

/**
 * The number of bytes per turn of the event loop: about 10,000 clicks, which take half a
 * millisecond.
 */
const BYTES_PER_TURN = 256 * 1024

/** Calls `visit` with every raw click of an owner on some days. Yields to other work in between. */
export async function visitRawClicks(
  db: Db,
  days: RawClickDays,
  visit: (click: StoredClick, blocks: Buffer) => void,
): Promise<void> {
  for await (const blocks of prefetch(readRawClicks(db, days))) {
    const visitOne = (click: StoredClick) => visit(click, blocks)
    for (let from = 0; from < blocks.length; await turn()) {
      from = eachClick(blocks, visitOne, { from, until: from + BYTES_PER_TURN })
    }
  }
}

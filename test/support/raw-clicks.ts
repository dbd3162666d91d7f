import { eachClick, type RawClick } from '../../src/clicks/encoding/raw-clicks.ts'
import type { Database } from '../../src/db/pool.ts'

export type StoredClick = RawClick & { visitor: string }

/** Returns the raw clicks that are stored, of one link or of all. */
export async function rawClicks(
  pool: Pick<Database['pool'], 'query'>,
  linkIds?: readonly number[],
): Promise<StoredClick[]> {
  const { rows } = await pool.query<{ blocks: Buffer }>(
    'select blocks from clicks where $1::bigint[] is null or link_id = any($1::bigint[])',
    [linkIds ?? null],
  )
  const clicks: StoredClick[] = []
  for (const { blocks } of rows) {
    eachClick(blocks, (click) => {
      const visitor = (BigInt(click.visitorHigh) << 32n) | BigInt(click.visitorLow >>> 0)
      clicks.push({ ...click, labels: click.labels.slice(), visitor: visitor.toString() })
    })
  }
  return clicks
}

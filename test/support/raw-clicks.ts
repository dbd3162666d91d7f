import { eachClick, type StoredClick, visitorOf } from '../../src/clicks/encoding/raw-clicks.ts'
import type { Database } from '../../src/db/pool.ts'

/** Returns the stored individual clicks of these links, by default of all. */
export async function rawClicks(
  pool: Pick<Database['pool'], 'query'>,
  linkIds?: readonly number[],
): Promise<(StoredClick & { visitor: string })[]> {
  const { rows } = await pool.query<{ blocks: Buffer }>(
    'select blocks from clicks where $1::bigint[] is null or link_id = any($1::bigint[])',
    [linkIds ?? null],
  )
  const clicks: (StoredClick & { visitor: string })[] = []
  for (const { blocks } of rows) {
    eachClick(blocks, (click) => {
      const visitor = visitorOf(blocks, click).toString()
      clicks.push({ ...click, labels: click.labels.slice(), visitor })
    })
  }
  return clicks
}

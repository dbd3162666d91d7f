import type { Db } from '../../db/pool.ts'
import { getSourceNumber, SCAN_LABEL } from '../encoding/fixed-labels.ts'
import { unpackCounts } from '../encoding/label-counts.ts'
import { KIND } from '../encoding/label-kinds.ts'
import { ifAvailable } from './if-available.ts'
import { findLabelsOfLinks } from './statistics.queries.ts'

const SCAN = getSourceNumber(SCAN_LABEL)

/**
 * Returns how many clicks of each link come from scans of a QR code. Omits links without scans, and
 * all links while the server that stores their labels is down.
 */
export async function readScans(
  db: Db,
  linkIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (linkIds.length === 0) return new Map()
  const rows = (await ifAvailable(findLabelsOfLinks(db, linkIds))) ?? []
  return new Map(
    rows.flatMap(({ link_id, labels }) =>
      unpackCounts(labels).flatMap(({ kind, label, clicks }): [number, number][] =>
        kind === KIND.source && label === SCAN ? [[link_id, clicks]] : [],
      ),
    ),
  )
}

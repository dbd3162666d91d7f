import type { Db } from '../../db/pool.ts'
import { labelsOfKind, sumsByKind, unpackInto } from '../encoding/label-counts.ts'
import { KIND } from '../encoding/label-kinds.ts'
import { ifAvailable } from './if-available.ts'
import { findDetails, findLabelNames } from './statistics.queries.ts'
import { selectMostClicked } from './top-labels.ts'

export type TopLabel = [label: string, clicks: number]

export type Statistics = {
  clicks: number
  /**
   * Whether the server that stores the following values is down or too slow. If so, they are 0 or
   * empty.
   */
  unavailable: boolean
  visitors: number
  /** At most ten labels of each kind, ordered by clicks (most clicked first), then by label. */
  countries: TopLabel[]
  referrers: TopLabel[]
  browsers: TopLabel[]
  systems: TopLabel[]
  social: { facebook: number; twitter: number; instagram: number }
}

const TOP_LABELS = 10
const NO_LABELS = new Uint8Array()

/**
 * Reads the statistics of a link from sums, so the cost does not depend on the number of clicks. A
 * link without clicks has zeros and empty lists.
 */
export async function readLinkStatistics(
  db: Db,
  { id, clicks }: { id: number; clicks: number },
): Promise<Statistics> {
  const details = await ifAvailable(findDetails(db, id))
  const labels = details?.labels ?? NO_LABELS
  const top = await findTopLabels(db, labels)
  const social = new Map(top(KIND.social))
  return {
    // Every click has a country. The sum is larger than the total if clicks were imported between
    // the two reads.
    clicks: Math.max(clicks, sumsByKind(labels)[KIND.country] as number),
    unavailable: details === undefined,
    visitors: details?.visitors ?? 0,
    countries: top(KIND.country),
    referrers: top(KIND.referrer),
    browsers: top(KIND.browser),
    systems: top(KIND.os),
    social: {
      facebook: social.get('facebook') ?? 0,
      twitter: social.get('twitter') ?? 0,
      instagram: social.get('instagram') ?? 0,
    },
  }
}

/** Returns the most clicked labels of each kind by name. */
async function findTopLabels(db: Db, packed: Uint8Array): Promise<(kind: number) => TopLabel[]> {
  const sums = new Map<number, number>()
  unpackInto(packed, sums)
  const candidates = new Map<number, ReadonlyMap<number, number>>(
    Object.values(KIND).map((kind) => [
      kind,
      selectMostClicked(labelsOfKind(sums, kind), TOP_LABELS),
    ]),
  )
  const labels = [...candidates.values()].flatMap((counts) => [...counts.keys()])
  const names = await findLabelNames(db, new Set(labels))
  return (kind) =>
    [...(candidates.get(kind) ?? [])]
      .map(([label, clicks]): TopLabel => [names.get(label) ?? '', clicks])
      .sort(([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : 1))
      .slice(0, TOP_LABELS)
}

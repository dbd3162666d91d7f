import { OTHER } from '../encoding/label-counts.ts'

export type LabelClicks = {
  label: string
  clicks: number
  /** The clicks in the period that is compared with. */
  comparison?: number
}

/** The period that is compared with. */
type Comparison = { labels: ReadonlyMap<number, number>; clicks: number }

/**
 * The most clicked labels by their names, equal ones in the order of their names. What is left of all
 * `clicks`, whether cut off here or never told apart, stands at the end as `Other`.
 */
export async function topLabels(
  labels: ReadonlyMap<number, number>,
  clicks: number,
  limit: number,
  nameAll: (labels: Iterable<number>) => Promise<ReadonlyMap<number, string>>,
  comparison?: Comparison,
): Promise<LabelClicks[]> {
  const likely = mostClicked(labels, limit + 1)
  const names = await nameAll(likely.keys())
  const top = [...likely]
    .map(
      ([label, count]): LabelClicks => ({
        label: names.get(label) ?? OTHER,
        clicks: count,
        ...(comparison && { comparison: comparison.labels.get(label) ?? 0 }),
      }),
    )
    .filter(({ label }) => label !== OTHER)
    .sort((a, b) => b.clicks - a.clicks || (a.label < b.label ? -1 : 1))
    .slice(0, limit)
  const rest = clicks - top.reduce((sum, each) => sum + each.clicks, 0)
  if (!comparison) return rest > 0 ? [...top, { label: OTHER, clicks: rest }] : top
  const before = comparison.clicks - top.reduce((sum, each) => sum + (each.comparison ?? 0), 0)
  const other = { label: OTHER, clicks: Math.max(0, rest), comparison: Math.max(0, before) }
  return rest > 0 || before > 0 ? [...top, other] : top
}

/**
 * Those that may be among the first `limit`: the last position can be shared by many. Bare numbers sort
 * many times faster than entries, of which there may be a thousand.
 */
export function mostClicked(
  labels: ReadonlyMap<number, number>,
  limit: number,
): Map<number, number> {
  const sorted = Float64Array.from(labels.values()).sort()
  const least = sorted.at(-limit) ?? 0
  return new Map([...labels].filter(([, clicks]) => clicks >= least))
}

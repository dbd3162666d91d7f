import { OTHER } from '../encoding/label-counts.ts'

export type LabelClicks = { label: string; clicks: number }

/**
 * The most clicked labels by their names, equal ones in the order of their names. What is left of all
 * `clicks`, whether cut off here or never told apart, stands at the end as `Other`.
 */
export async function topLabels(
  labels: ReadonlyMap<number, number>,
  clicks: number,
  limit: number,
  nameAll: (labels: Iterable<number>) => Promise<ReadonlyMap<number, string>>,
): Promise<LabelClicks[]> {
  const likely = mostClicked(labels, limit + 1)
  const names = await nameAll(likely.keys())
  const top = [...likely]
    .map(([label, count]) => ({ label: names.get(label) ?? OTHER, clicks: count }))
    .filter(({ label }) => label !== OTHER)
    .sort((a, b) => b.clicks - a.clicks || (a.label < b.label ? -1 : 1))
    .slice(0, limit)
  const rest = clicks - top.reduce((sum, each) => sum + each.clicks, 0)
  return rest > 0 ? [...top, { label: OTHER, clicks: rest }] : top
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

import { type Batch, KIND, MAX_REFERRERS } from './batch.ts'

/** What one batch adds to each table, every list in the order of its table's key. */
export type Rollup = {
  totals: { link: number[]; clicks: number[]; lastAt: number[]; referrers: number[] }
  days: { link: number[]; day: number[]; clicks: number[] }
  labels: LabelCounts
  visitors: { link: number[]; visitor: BigInt64Array }
}

export type LabelCounts = { link: number[]; kind: number[]; label: number[]; clicks: number[] }

const DAY = 86_400_000
const LABELS = 2 ** 31
/** Days are sorted and counted together with the labels, as if they were of this kind. */
const DAYS = 0
const SLICE = 5000

/**
 * Adds up the clicks of people in a batch, leaving out links that are not in `alive`. `labelIds`
 * tells the number of each of the batch's names. Sorting and counting runs is several times faster
 * here than counting in maps. `pause` is awaited every few thousand clicks.
 */
export async function rollUp(
  { columns }: Batch,
  labelIds: ArrayLike<number>,
  alive: { has(linkId: number): boolean },
  pause: () => Promise<void>,
): Promise<Rollup> {
  const people = columns.link.flatMap((link, row) =>
    !columns.crawler[row] && alive.has(link) ? [row] : [],
  )
  const links = Float64Array.from(new Set(people.map((row) => columns.link[row] ?? 0))).sort()
  const ranks = new Map([...links].map((link, rank) => [link, rank]))
  const rankOf = people.map((row) => ranks.get(columns.link[row] ?? 0) ?? 0)
  await pause()

  const totals: Rollup['totals'] = {
    link: [...links],
    clicks: Array.from(links, () => 0),
    lastAt: Array.from(links, () => 0),
    referrers: Array.from(links, () => 0),
  }
  const keys = new Float64Array(people.length * 6)
  let used = 0
  for (const [index, row] of people.entries()) {
    if (index % SLICE === SLICE - 1) await pause()
    const rank = rankOf[index] ?? 0
    const at = columns.at[row] ?? 0
    const social = columns.social[row] ?? -1
    totals.clicks[rank] = (totals.clicks[rank] ?? 0) + 1
    totals.lastAt[rank] = Math.max(totals.lastAt[rank] ?? 0, at)
    keys[used++] = key(rank, DAYS, Math.floor(at / DAY))
    keys[used++] = key(rank, KIND.country, labelIds[columns.country[row] ?? 0] ?? 0)
    keys[used++] = key(rank, KIND.referrer, labelIds[columns.referrer[row] ?? 0] ?? 0)
    keys[used++] = key(rank, KIND.browser, labelIds[columns.browser[row] ?? 0] ?? 0)
    keys[used++] = key(rank, KIND.os, labelIds[columns.os[row] ?? 0] ?? 0)
    if (social >= 0) keys[used++] = key(rank, KIND.social, labelIds[social] ?? 0)
  }
  await pause()
  const sorted = keys.subarray(0, used).sort()
  await pause()
  const { days, labels } = countRuns(sorted, links, totals.referrers)
  await pause()
  return {
    totals,
    days,
    labels,
    visitors: distinctVisitors(columns.visitor, people, rankOf, links),
  }
}

/** Link, kind and label in one number below 2^53: a batch has far fewer than 2^18 links. */
function key(rank: number, kind: number, label: number): number {
  return (rank * 8 + kind) * LABELS + label
}

/** Counts runs of equal keys and tells days from labels. */
function countRuns(
  sorted: Float64Array,
  links: Float64Array,
  referrers: number[],
): Pick<Rollup, 'days' | 'labels'> {
  const days: Rollup['days'] = { link: [], day: [], clicks: [] }
  const labels: LabelCounts = { link: [], kind: [], label: [], clicks: [] }
  for (let start = 0, end = 1; start < sorted.length; start = end, end += 1) {
    const value = sorted[start] ?? 0
    while (sorted[end] === value) end += 1
    const place = Math.floor(value / LABELS)
    const label = value - place * LABELS
    const kind = place % 8
    const rank = (place - kind) / 8
    const link = links[rank] ?? 0
    if (kind === DAYS) {
      days.link.push(link)
      days.day.push(label)
      days.clicks.push(end - start)
    } else {
      if (kind === KIND.referrer) referrers[rank] = (referrers[rank] ?? 0) + 1
      labels.link.push(link)
      labels.kind.push(kind)
      labels.label.push(label)
      labels.clicks.push(end - start)
    }
  }
  return { days, labels }
}

/** Each visitor once for each link: clicks are put into their links' places, then sorted there. */
function distinctVisitors(
  visitor: readonly bigint[],
  people: readonly number[],
  rankOf: readonly number[],
  links: Float64Array,
): Rollup['visitors'] {
  const starts = new Uint32Array(links.length + 1)
  for (const rank of rankOf) starts[rank + 1] = (starts[rank + 1] ?? 0) + 1
  for (let rank = 0; rank < links.length; rank += 1) {
    starts[rank + 1] = (starts[rank + 1] ?? 0) + (starts[rank] ?? 0)
  }
  const next = starts.slice()
  const placed = new BigInt64Array(people.length)
  for (const [index, row] of people.entries()) {
    const rank = rankOf[index] ?? 0
    const slot = next[rank] ?? 0
    placed[slot] = visitor[row] ?? 0n
    next[rank] = slot + 1
  }
  const link: number[] = []
  const distinct = new BigInt64Array(people.length)
  for (let rank = 0; rank < links.length; rank += 1) {
    const own = placed.subarray(starts[rank], starts[rank + 1])
    if (own.length > 1) own.sort()
    for (let index = 0; index < own.length; index += 1) {
      const value = own[index] ?? 0n
      if (index > 0 && value === own[index - 1]) continue
      distinct[link.length] = value
      link.push(links[rank] ?? 0)
    }
  }
  return { link, visitor: distinct.subarray(0, link.length) }
}

/**
 * Moves counts of referrers that a link has no room for to `other`. `room` tells how many new ones
 * a link may still take, undefined for links that have room enough; `known` those that it has.
 */
export function divertReferrers(
  labels: LabelCounts,
  other: number,
  room: (link: number) => number | undefined,
  known: (link: number, label: number) => boolean,
): { labels: LabelCounts; added: Map<number, number> } {
  const added = new Map<number, number>()
  const counts = new Map<string, [link: number, kind: number, label: number, clicks: number]>()
  for (const [index, link] of labels.link.entries()) {
    const kind = labels.kind[index] ?? 0
    let label = labels.label[index] ?? 0
    const left = kind === KIND.referrer && label !== other ? room(link) : undefined
    if (left !== undefined && !known(link, label)) {
      const taken = added.get(link) ?? 0
      if (taken < left) added.set(link, taken + 1)
      else label = other
    }
    const place = `${link} ${kind} ${label}`
    const clicks = (counts.get(place)?.[3] ?? 0) + (labels.clicks[index] ?? 0)
    counts.set(place, [link, kind, label, clicks])
  }
  const rows = [...counts.values()].sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2])
  const column = (place: 0 | 1 | 2 | 3) => rows.map((row) => row[place])
  return {
    labels: { link: column(0), kind: column(1), label: column(2), clicks: column(3) },
    added,
  }
}

/** How many referrers a batch may add to a link's bound: one more than full means "count anew". */
export function referrerBound(distinct: number): number {
  return distinct < MAX_REFERRERS ? distinct : MAX_REFERRERS + 1
}

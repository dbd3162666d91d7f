import { KIND, labelKey } from '../encoding/label-counts.ts'
import type { Batch } from './batch.ts'

/** What one batch adds to each table, every list in the order of its table's key. */
export type Rollup = {
  /** Every link that was visited, also those that only crawlers visited, with no clicks then. */
  totals: { link: Float64Array; clicks: Float64Array; lastAt: Float64Array }
  /** Every link that people visited: their clicks by label, and each visitor once. */
  details: LinkDetails[]
  days: { link: number[]; day: number[]; clicks: number[] }
  /** The batch's rows, crawlers included, link by link. */
  rows: Uint32Array
}

/** `visitors` has two numbers for each: the lower and the higher half of the hash, signed. */
export type LinkDetails = { link: number; labels: LinkCounts; visitors: number[] }
export type LinkCounts = { keys: number[]; clicks: number[] }

const DAY = 86_400_000
/** A link's position in a batch times this, plus a key of a label (34 bits), stays below 2^53. */
const KEYS = 2 ** 34
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
  const { links, rows, starts } = groupByLink(columns.link, alive)
  await pause()
  const totals = {
    link: links,
    clicks: new Float64Array(links.length),
    lastAt: new Float64Array(links.length),
  }
  const days = new Float64Array(rows.length)
  const labels = new Float64Array(rows.length * 5)
  let [people, used, position] = [0, 0, 0]
  for (let index = 0; index < rows.length; index += 1) {
    if (index % SLICE === SLICE - 1) await pause()
    while (index >= (starts[position + 1] as number)) position += 1
    const row = rows[index] as number
    if (columns.crawler[row]) continue
    const at = columns.at[row] as number
    totals.clicks[position] = (totals.clicks[position] as number) + 1
    totals.lastAt[position] = Math.max(totals.lastAt[position] as number, at)
    const base = position * KEYS
    days[people++] = base + Math.floor(at / DAY)
    const count = (kind: number, name: number) => {
      labels[used++] = base + labelKey(kind, labelIds[name] as number)
    }
    count(KIND.country, columns.country[row] as number)
    count(KIND.referrer, columns.referrer[row] as number)
    count(KIND.browser, columns.browser[row] as number)
    count(KIND.os, columns.os[row] as number)
    const social = columns.social[row] as number
    if (social >= 0) count(KIND.social, social)
  }
  await pause()
  const labelRuns = countRuns(labels.subarray(0, used).sort())
  await pause()
  const dayRuns = countRuns(days.subarray(0, people).sort())
  return {
    totals,
    details: countsByPosition(labelRuns).map(({ position: visited, labels: counts }) => ({
      link: links[visited] as number,
      labels: counts,
      visitors: distinctVisitors(
        columns,
        rows,
        starts[visited] as number,
        starts[visited + 1] as number,
      ),
    })),
    days: {
      link: dayRuns.positions.map((dayPosition) => links[dayPosition] as number),
      day: dayRuns.keys,
      clicks: dayRuns.clicks,
    },
    rows,
  }
}

/** The links in ascending order, their rows one link after the other, and where each begins. */
function groupByLink(
  link: readonly number[],
  alive: { has(linkId: number): boolean },
): { links: Float64Array; rows: Uint32Array; starts: Uint32Array } {
  const links = Float64Array.from([...new Set(link)].filter((id) => alive.has(id))).sort()
  const positions = new Map(Array.from(links, (id, position) => [id, position]))
  const positionOf = link.map((id) => positions.get(id) ?? -1)
  const starts = new Uint32Array(links.length + 1)
  for (const position of positionOf)
    if (position >= 0) starts[position + 1] = (starts[position + 1] as number) + 1
  for (let position = 1; position <= links.length; position += 1) {
    starts[position] = (starts[position] as number) + (starts[position - 1] as number)
  }
  const next = starts.slice()
  const rows = new Uint32Array(starts[links.length] as number)
  for (let row = 0; row < positionOf.length; row += 1) {
    const position = positionOf[row] as number
    if (position < 0) continue
    const slot = next[position] as number
    rows[slot] = row
    next[position] = slot + 1
  }
  return { links, rows, starts }
}

type Runs = { positions: number[]; keys: number[]; clicks: number[] }

function countRuns(sorted: Float64Array): Runs {
  const runs: Runs = { positions: [], keys: [], clicks: [] }
  for (let start = 0, end = 1; start < sorted.length; start = end, end += 1) {
    const value = sorted[start] as number
    while (sorted[end] === value) end += 1
    const position = Math.floor(value / KEYS)
    runs.positions.push(position)
    runs.keys.push(value - position * KEYS)
    runs.clicks.push(end - start)
  }
  return runs
}

function countsByPosition({
  positions,
  keys,
  clicks,
}: Runs): { position: number; labels: LinkCounts }[] {
  const counts: { position: number; labels: LinkCounts }[] = []
  for (let start = 0, end = 1; start < positions.length; start = end, end += 1) {
    while (end < positions.length && positions[end] === positions[start]) end += 1
    const labels = { keys: keys.slice(start, end), clicks: clicks.slice(start, end) }
    counts.push({ position: positions[start] as number, labels })
  }
  return counts
}

/** The visitors of one link, whose rows are those from `start` to before `end`. */
function distinctVisitors(
  { visitorLow, visitorHigh, crawler }: Batch['columns'],
  rows: Uint32Array,
  start: number,
  end: number,
): number[] {
  const words: number[] = []
  for (let index = start; index < end; index += 1) {
    const row = rows[index] as number
    if (!crawler[row]) words.push(visitorLow[row] as number, visitorHigh[row] as number)
  }
  return words.length > 2 ? withoutRepeats(words) : words
}

function withoutRepeats(words: readonly number[]): number[] {
  const hashes = new BigInt64Array(words.length / 2)
  const sorted = new Int32Array(hashes.buffer)
  sorted.set(words)
  hashes.sort()
  const distinct: number[] = []
  for (let index = 0; index < sorted.length; index += 2) {
    const [low, high] = [sorted[index] as number, sorted[index + 1] as number]
    if (index === 0 || low !== sorted[index - 2] || high !== sorted[index - 1]) {
      distinct.push(low, high)
    }
  }
  return distinct
}

import { sumsByKind } from '../encoding/label-counts.ts'
import { listedKinds } from '../encoding/label-kinds.ts'
import { HASH_BYTES } from '../encoding/visitor-set.ts'
import type { StoredRange } from './check.queries.ts'

/** A count of a link that differs from its expected value. */
export type LinkDiscrepancy = {
  linkId: number
  accountId?: never
  check: string
  expected: number
  found: number
}

/** The stored values of one link, added up per table. */
type Sums = {
  clicks: number
  /** Null if the link has no row of details. */
  visitors: number | null
  hashBytes: number
  /** The clicks with a label of each kind, indexed by kind number. */
  labels: readonly number[]
  /** The clicks of all days. */
  days: number
  newVisitors: number
  /** Days since 1970. */
  firstDay: number | null
  /** Raw and imported clicks. */
  raw: number
}

const NO_LABELS: readonly number[] = []

/**
 * Compares the days, labels and visitors of every link in a range with its totals. Also compares
 * its raw and imported clicks, if all raw clicks are still stored. Skips deleted links whose clicks
 * are not deleted yet. Yields the differences.
 */
export function* compareLinks(range: StoredRange): Generator<LinkDiscrepancy, void> {
  const { since, missing, removed } = range
  for (const [linkId, sums] of sumByLink(range)) {
    if (removed.has(linkId)) continue
    if (missing.has(linkId)) {
      yield { linkId, check: 'rows of a link that does not exist', expected: 0, found: 1 }
      continue
    }
    const { clicks, visitors, labels } = sums
    const hashes = sums.hashBytes / HASH_BYTES
    if (sums.days !== clicks) yield createDiscrepancy(linkId, 'sum of days', clicks, sums.days)
    for (const [check, kind] of LABEL_CHECKS) {
      const found = labels[kind] ?? 0
      if (found !== clicks) yield createDiscrepancy(linkId, check, clicks, found)
    }
    if (hashes !== (visitors ?? 0))
      yield createDiscrepancy(linkId, 'visitors', visitors ?? 0, hashes)
    const hasAllRawClicks = since !== null && (sums.firstDay ?? since) >= since
    if (hasAllRawClicks && sums.raw !== clicks)
      yield createDiscrepancy(linkId, 'raw clicks', clicks, sums.raw)
    const hasDays = sums.firstDay !== null
    if (hasDays && visitors !== null && sums.newVisitors !== visitors) {
      yield createDiscrepancy(linkId, 'sum of new visitors', visitors, sums.newVisitors)
    }
  }
}

const LABEL_CHECKS = listedKinds
  .filter(({ isPartial }) => !isPartial)
  .map(({ list, number }) => [`sum of ${list}`, number] as const)

function createDiscrepancy(
  linkId: number,
  check: string,
  expected: number,
  found: number,
): LinkDiscrepancy {
  return { linkId, check, expected, found }
}

/** Returns the sums by link. Omits links without rows. */
function sumByLink({
  totals,
  details,
  days,
  buckets,
  raw,
  imports,
  uncounted,
}: StoredRange): Map<number, Sums> {
  const links = new Map<number, Sums>()
  eachRow(links, totals.link, (sums, row) => {
    sums.clicks += totals.clicks[row] as number
  })
  let labelsEnd = 0
  eachRow(links, details.link, (sums, row) => {
    const labelsStart = labelsEnd
    labelsEnd += details.labelBytes[row] as number
    sums.visitors = details.visitors[row] as number
    sums.hashBytes += details.hashBytes[row] as number
    sums.labels = sumsByKind(details.labels, labelsStart, labelsEnd)
  })
  eachRow(links, days.link, (sums, row) => {
    const day = days.day[row] as number
    sums.days += days.clicks[row] as number
    sums.newVisitors += days.visitors[row] as number
    if (sums.firstDay === null || day < sums.firstDay) sums.firstDay = day
  })
  eachRow(links, buckets.link, (sums, row) => {
    sums.hashBytes += buckets.bytes[row] as number
  })
  for (const { link, clicks } of [raw, imports]) {
    eachRow(links, link, (sums, row) => {
      sums.raw += clicks[row] as number
    })
  }
  eachRow(links, uncounted.link, () => {})
  return links
}

/** Calls `add` with each row of a list and the sums of the link that it belongs to. */
function eachRow(
  links: Map<number, Sums>,
  link: Float64Array,
  add: (sums: Sums, row: number) => void,
): void {
  // Uses a plain loop, because an iterator would create an array per row.
  for (let row = 0; row < link.length; row += 1)
    add(findOrCreateSums(links, link[row] as number), row)
}

function findOrCreateSums(links: Map<number, Sums>, link: number): Sums {
  const existing = links.get(link)
  if (existing) return existing
  const sums: Sums = {
    clicks: 0,
    visitors: null,
    hashBytes: 0,
    labels: NO_LABELS,
    days: 0,
    newVisitors: 0,
    firstDay: null,
    raw: 0,
  }
  links.set(link, sums)
  return sums
}

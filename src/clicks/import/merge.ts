import { type ByteaWriter, createByteaWriter } from '../../db/pg-binary.ts'
import { maxBytesOfSum, writeCounts } from '../encoding/label-counts.ts'
import type { Counts, Range } from '../encoding/packed-counts.ts'
import type { StoredValues } from '../encoding/stored-values.ts'
import type { AccountSums } from './account-entries.ts'
import { createDayHours, fillDayHours } from './day-hours.ts'
import { type Bucket, createVisitorMerge, type StoredVisitors } from './merge-visitors.ts'
import type { Details } from './rollup.ts'

/** The stored values of consecutive links of a batch, and of their days. */
export type Stored = StoredVisitors & {
  labels: StoredValues
  dayHours: StoredValues
  dayLabels: StoredValues
  /** Is 1 for each link that has a row. */
  isStored: Uint8Array
  /** Is 1 for each day that has a row. */
  areDaysStored: Uint8Array
}

/** Results collected for a whole batch while its links are merged. */
export type BatchResults = {
  /** The days of accounts. */
  accounts: AccountSums
  /** Is 1 at the index of each click that is the first of its visitor on the link. */
  firstClicks: Uint8Array
}

/** The values to store, as columns and PostgreSQL arrays. */
export type Merged = {
  details: {
    links: Float64Array
    labels: Buffer
    visitors: Float64Array
    hashes: Buffer
    isStored: Uint8Array
  }
  buckets: Bucket[]
  /** Clicks and visitors are added to the stored values. Hours and labels replace them. */
  days: {
    links: Float64Array
    days: Uint32Array
    clicks: Float64Array
    visitors: Float64Array
    hours: Buffer
    labels: Buffer
    isStored: Uint8Array
  }
}

/**
 * Merges a range of a batch's links into their stored values. `other` is the number of the label
 * for clicks beyond the maximum number of labels. Also adds to the batch's account days and first
 * clicks.
 */
export function merge(
  details: Details,
  { from, to }: Range,
  stored: Stored,
  other: number,
  { accounts, firstClicks }: BatchResults,
): Merged {
  const { link, dayStarts, labels, labelStarts } = details
  const firstDay = dayStarts[from] as number
  const lastDay = dayStarts[to] as number
  const merged = { labels: createByteaWriter(), dayLabels: createByteaWriter() }
  const mergedHours = createByteaWriter()
  const visitors = createVisitorMerge(details, stored, to - from)
  const dayClicks = new Float64Array(lastDay - firstDay)
  const dayVisitors = new Float64Array(lastDay - firstDay)
  const hours = createDayHours()
  for (let position = from; position < to; position += 1) {
    const id = link[position] as number
    const added = visitors.add(position, position - from)
    const firstVisitor = details.visitorStarts[position] as number
    for (const index of added) {
      firstClicks[details.firstClicks[firstVisitor + index] as number] = 1
    }
    const dayRange = { from: dayStarts[position] as number, to: dayStarts[position + 1] as number }
    writeLabels(merged.labels, stored.labels, position - from, details, dayRange, other)
    for (let day = dayRange.from; day < dayRange.to; day += 1) {
      const row = day - firstDay
      fillDayHours(hours, details, day, firstVisitor, added)
      const hourRange = { from: 0, to: hours.counts.keys.length }
      const labelRange = { from: labelStarts[day] as number, to: labelStarts[day + 1] as number }
      writeSum(mergedHours, stored.dayHours, row, hours.counts, hourRange, other)
      writeSum(merged.dayLabels, stored.dayLabels, row, labels, labelRange, other)
      dayClicks[row] = hours.clicks
      dayVisitors[row] = hours.visitors
      accounts.add(id, details.days.day[day] as number, hours, labels, labelRange)
    }
  }
  return {
    details: {
      links: link.subarray(from, to),
      labels: merged.labels.finish(),
      ...visitors.end(),
      isStored: stored.isStored,
    },
    buckets: visitors.buckets,
    days: {
      links: details.dayLink.subarray(firstDay, lastDay),
      days: details.days.day.subarray(firstDay, lastDay),
      clicks: dayClicks,
      visitors: dayVisitors,
      hours: mergedHours.finish(),
      labels: merged.dayLabels.finish(),
      isStored: stored.areDaysStored,
    },
  }
}

/** Appends the sum of a stored value and a slice of `added` to a column. */
function writeSum(
  column: ByteaWriter,
  { bytes, starts, ends }: StoredValues,
  index: number,
  added: Counts,
  range: Range,
  other: number,
): void {
  const storedRange = { from: starts[index] as number, to: ends[index] as number }
  const start = column.startValue(maxBytesOfSum(storedRange, range))
  column.endValue(writeCounts(column.bytes, start, bytes, storedRange, added, range, other))
}

/** Appends the sums of the labels of all days of a link. */
function writeLabels(
  column: ByteaWriter,
  stored: StoredValues,
  index: number,
  { labels, labelStarts }: Details,
  days: Range,
  other: number,
): void {
  const rangeOf = (day: number) => ({
    from: labelStarts[day] as number,
    to: labelStarts[day + 1] as number,
  })
  let sum = stored
  let row = index
  for (let day = days.from; day < days.to - 1; day += 1) {
    sum = addToValue(sum, row, labels, rangeOf(day), other)
    row = 0
  }
  writeSum(column, sum, row, labels, rangeOf(days.to - 1), other)
}

/** Returns the sum of a stored value and a slice of `added` in stored form. */
function addToValue(
  { bytes, starts, ends }: StoredValues,
  index: number,
  added: Counts,
  range: Range,
  other: number,
): StoredValues {
  const storedRange = { from: starts[index] as number, to: ends[index] as number }
  const sum = Buffer.allocUnsafe(maxBytesOfSum(storedRange, range))
  const end = writeCounts(sum, 0, bytes, storedRange, added, range, other)
  return { bytes: sum, starts: Uint32Array.of(0), ends: Uint32Array.of(end) }
}

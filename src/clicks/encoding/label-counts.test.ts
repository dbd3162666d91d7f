import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addCounts,
  keepLargest,
  MAX_LABELS,
  maxBytesOfSum,
  toLabelKey,
  unpackCounts,
  writeCounts,
} from './label-counts.ts'
import { KIND } from './label-kinds.ts'

/** The label of clicks beyond the limit of labels. */
const OTHER = 3

/** Counts by kind and label, in the form a batch adds. */
const counts = fc
  .uniqueArray(
    fc.record({
      kind: fc.constantFrom(...Object.values(KIND)),
      label: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
      clicks: fc.integer({ min: 1, max: 2 ** 40 }),
    }),
    { selector: ({ kind, label }) => toLabelKey(kind, label), maxLength: 30 },
  )
  .map((list) => list.sort((a, b) => toLabelKey(a.kind, a.label) - toLabelKey(b.kind, b.label)))

type Count = { kind: number; label: number; clicks: number }

const toColumns = (list: readonly Count[]) => ({
  keys: list.map(({ kind, label }) => toLabelKey(kind, label)),
  clicks: list.map(({ clicks }) => clicks),
})

describe('packed counts', () => {
  test('unpack to the original counts', () => {
    fc.assert(
      fc.property(counts, (list) => {
        expect(unpackCounts(addCounts(undefined, toColumns(list), OTHER))).toEqual(list)
      }),
    )
  })

  test('add counts', () => {
    fc.assert(
      fc.property(fc.array(counts, { maxLength: 5 }), (lists) => {
        let packed: Buffer | undefined
        const sums = new Map<number, number>()
        for (const list of lists) {
          packed = addCounts(packed, toColumns(list), OTHER)
          for (const { kind, label, clicks } of list) {
            const key = toLabelKey(kind, label)
            sums.set(key, (sums.get(key) ?? 0) + clicks)
          }
        }
        const unpacked = unpackCounts(packed ?? Buffer.alloc(0))
        expect(
          new Map(unpacked.map((row) => [toLabelKey(row.kind, row.label), row.clicks])),
        ).toEqual(sums)
      }),
    )
  })

  test('add slices of a column and a list into an existing buffer', () => {
    fc.assert(
      fc.property(counts, counts, (before, more) => {
        const packed = addCounts(undefined, toColumns(before), OTHER)
        const stored = Buffer.concat([Buffer.alloc(2, 255), packed, Buffer.alloc(3, 255)])
        const part = { from: 2, to: 2 + packed.length }
        const list = toColumns([...before, ...more])
        const range = { from: before.length, to: before.length + more.length }
        const target = Buffer.alloc(4 + maxBytesOfSum(part, range), 255)
        const end = writeCounts(target, 4, stored, part, list, range, OTHER)
        expect(target.subarray(4, end)).toEqual(addCounts(packed, toColumns(more), OTHER))
      }),
    )
  })

  test('keep the largest counts and, among equal counts, the larger keys', () => {
    fc.assert(
      fc.property(counts, counts, fc.integer({ min: 1, max: 9 }), (before, more, size) => {
        const packed = addCounts(undefined, toColumns(before), OTHER)
        const all = unpackCounts(addCounts(packed, toColumns(more), OTHER))
        const max = size + 2
        const keyOf = ({ kind, label }: Count) => toLabelKey(kind, label)
        const largest = all
          .toSorted((a, b) => b.clicks - a.clicks || keyOf(b) - keyOf(a))
          .slice(0, all.length <= max ? max : size)
          .sort((a, b) => keyOf(a) - keyOf(b))
        expect(unpackCounts(keepLargest(packed, toColumns(more), { size, max }))).toEqual(largest)
      }),
    )
  })

  test('limit the labels per kind and combine the rest', () => {
    const createReferrers = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => ({
        kind: KIND.referrer,
        label: from + index,
        clicks: 1,
      }))
    const country = { kind: KIND.country, label: 50_000, clicks: 5 }
    const first = addCounts(undefined, toColumns(createReferrers(10, MAX_LABELS - 1)), OTHER)
    const second = addCounts(first, toColumns([...createReferrers(20_000, 10), country]), OTHER)
    const third = addCounts(
      second,
      toColumns([...createReferrers(10, 2), ...createReferrers(40_000, 4)]),
      OTHER,
    )
    const rows = unpackCounts(third)
    const namedReferrers = rows.filter(
      ({ kind, label }) => kind === KIND.referrer && label !== OTHER,
    )
    expect(namedReferrers).toHaveLength(MAX_LABELS)
    expect(namedReferrers.slice(0, 3)).toEqual([
      { kind: KIND.referrer, label: 10, clicks: 2 },
      { kind: KIND.referrer, label: 11, clicks: 2 },
      { kind: KIND.referrer, label: 12, clicks: 1 },
    ])
    expect(rows).toContainEqual({ kind: KIND.referrer, label: OTHER, clicks: 9 + 4 })
    expect(rows).toContainEqual(country)
  })

  test('take about four bytes per entry', () => {
    const list = Array.from({ length: 100 }, (_, index) => ({
      kind: KIND.referrer,
      label: 1000 + 17 * index,
      clicks: 500,
    }))
    expect(addCounts(undefined, toColumns(list), OTHER).length).toBeLessThanOrEqual(410)
  })
})

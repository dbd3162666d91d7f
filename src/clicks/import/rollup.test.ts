import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NO_LABELS } from '../../../test/support/clicks.ts'
import { encodeLanguage } from '../encoding/fixed-labels.ts'
import { toLabelKey } from '../encoding/label-counts.ts'
import { KIND } from '../encoding/label-kinds.ts'
import type { Counts } from '../encoding/packed-counts.ts'
import { createBatch } from './batch.ts'
import { visitorsOf } from './merge-visitors.ts'
import { type Details, rollUp } from './rollup.ts'

const label = fc.constantFrom('a', 'b', '__proto__', 'constructor', 'é')
const click = fc.record({
  link: fc.constantFrom(1, 2, 77, 2 ** 40),
  at: fc.integer({ min: 0, max: 3 * 86_400_000 }),
  visitor: fc.bigInt({ min: -3n, max: 3n }),
  country: label,
  referrer: label,
  browser: label,
  os: label,
  device: fc.constantFrom('desktop' as const, 'mobile' as const),
  social: fc.constantFrom(undefined, 'facebook', 'twitter'),
  variant: fc.option(fc.constantFrom('https://a.example/', 'https://b.example/'), {
    nil: undefined,
  }),
  language: fc.constantFrom(undefined, 'de', 'nb'),
  crawler: fc.boolean(),
})
const pause = async () => {}

describe('a rollup', () => {
  test('equals the result of counting clicks one by one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(click, { maxLength: 60 }), async (clicks) => {
        const batch = createBatch()
        for (const { link, at, ...description } of clicks)
          batch.add(link, at, { ...NO_LABELS, ...description })
        const labelIds = batch.names.map((_, index) => 100 - index)
        const alive = new Set([1, 77, 2 ** 40])
        const rollup = await rollUp(batch, labelIds, alive, pause)
        const details = toLinks(rollup.details)
        const getId = (label: string) => 100 - batch.names.indexOf(label)
        const stored = clicks.filter(({ link }) => alive.has(link))
        const people = stored.filter(({ crawler }) => !crawler)

        const links = [...new Set(stored.map(({ link }) => link))].sort((a, b) => a - b)
        expect([...rollup.totals.link]).toEqual(links)
        expect([...rollup.totals.clicks]).toEqual(
          links.map((link) => people.filter((visit) => visit.link === link).length),
        )
        expect([...rollup.totals.lastAt]).toEqual(
          links.map((link) =>
            Math.max(0, ...people.filter((visit) => visit.link === link).map(({ at }) => at)),
          ),
        )
        expect(
          details.flatMap(({ link, visitors }) =>
            joinHashes(visitors).map((visitor) => `${link} ${visitor}`),
          ),
        ).toEqual([
          ...new Set(
            people
              .sort((a, b) => a.link - b.link || Number(a.visitor - b.visitor))
              .map(({ link, visitor }) => `${link} ${visitor}`),
          ),
        ])
        expect(
          sumByKey(
            details.flatMap(({ link, days }) =>
              days.flatMap(({ hours }) => toEntries(hours, (hour) => `${link} ${hour}`)),
            ),
          ),
        ).toEqual(
          sumByKey(people.map(({ link, at }) => [`${link} ${Math.floor(at / 3_600_000)}`, 1])),
        )
        expect(
          sumByKey(
            details.flatMap(({ link, visitors, arrivals }) =>
              joinHashes(visitors).map((visitor, index): [string, number] => [
                `${link} ${visitor}`,
                arrivals[index] ?? Number.NaN,
              ]),
            ),
          ),
        ).toEqual(
          new Map(
            people
              .toSorted((a, b) => b.at - a.at)
              .map(({ link, visitor, at }) => [`${link} ${visitor}`, Math.floor(at / 3_600_000)]),
          ),
        )
        const listLabels = (visit: (typeof people)[number]): [string, number][] =>
          [
            toLabelKey(KIND.country, getId(visit.country)),
            toLabelKey(KIND.referrer, getId(visit.referrer)),
            toLabelKey(KIND.browser, getId(visit.browser)),
            toLabelKey(KIND.os, getId(visit.os)),
            toLabelKey(KIND.device, visit.device === 'desktop' ? 1 : 2),
            toLabelKey(KIND.language, encodeLanguage(visit.language ?? '')),
            ...(visit.social === undefined ? [] : [toLabelKey(KIND.social, getId(visit.social))]),
            ...(visit.variant === undefined
              ? []
              : [toLabelKey(KIND.variant, getId(visit.variant))]),
          ].map((key) => [`${visit.link} ${key}`, 1])
        expect(
          sumByKey(
            details.flatMap(({ link, days }) =>
              days.flatMap(({ labels }) => toEntries(labels, (key) => `${link} ${key}`)),
            ),
          ),
        ).toEqual(sumByKey(people.flatMap(listLabels)))
        expect(
          sumByKey(
            details.flatMap(({ link, days }) =>
              days.flatMap(({ day, labels }) =>
                toEntries(labels, (key) => `${day} ${link} ${key}`),
              ),
            ),
          ),
        ).toEqual(
          sumByKey(
            people.flatMap((visit) =>
              listLabels(visit).map(([key]): [string, number] => [
                `${Math.floor(visit.at / 86_400_000)} ${key}`,
                1,
              ]),
            ),
          ),
        )
        for (const { days } of details) {
          expect(days.map(({ day }) => day)).toEqual(days.map(({ day }) => day).sort())
        }
        expect(Array.from(rollup.grouped.clicks.link, (index) => batch.links[index])).toEqual(
          stored.map(({ link }) => link).sort((a, b) => a - b),
        )
      }),
    )
  })
})

/** Returns each link with its values from the columns. Hours are hours since 1970. */
function toLinks(details: Details) {
  const { days, dayStarts, labelStarts, visitorStarts } = details
  return Array.from(details.link, (link, index) => ({
    link,
    days: listIndexes(dayStarts, index).map((day) => ({
      day: days.day[day] ?? Number.NaN,
      hours: selectCounts(
        days.hours,
        listIndexes(days.hourStarts, day),
        24 * (days.day[day] ?? Number.NaN),
      ),
      labels: selectCounts(details.labels, listIndexes(labelStarts, day)),
    })),
    visitors: visitorsOf(details, index),
    arrivals: listIndexes(visitorStarts, index).map((visitor) => details.arrivals[visitor]),
  }))
}

/** Returns the indexes of the values that belong to the row at `index`. */
function listIndexes(starts: Uint32Array, index: number): number[] {
  const from = starts[index] ?? Number.NaN
  return Array.from({ length: (starts[index + 1] ?? Number.NaN) - from }, (_, step) => from + step)
}

/** Returns the counts at these indexes, with `first` added to their keys. */
function selectCounts({ keys, clicks }: Counts, indexes: readonly number[], first = 0): Counts {
  return {
    keys: indexes.map((index) => first + (keys[index] ?? Number.NaN)),
    clicks: indexes.map((index) => clicks[index] ?? Number.NaN),
  }
}

/** Joins hashes from their halves. */
function joinHashes(words: ArrayLike<number>): bigint[] {
  return Array.from({ length: words.length / 2 }, (_, index) =>
    BigInt.asIntN(
      64,
      (BigInt(words[2 * index + 1] ?? 0) << 32n) |
        BigInt.asUintN(32, BigInt(words[2 * index] ?? 0)),
    ),
  )
}

function toEntries({ keys, clicks }: Counts, name: (key: number) => string): [string, number][] {
  return Array.from(keys, (key, index) => [name(key), clicks[index] ?? 0])
}

/** Returns the sum of the counts of each key. */
function sumByKey(entries: readonly (readonly [string, number])[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const [key, count] of entries) sums.set(key, (sums.get(key) ?? 0) + count)
  return sums
}

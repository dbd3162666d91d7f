import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { KIND, labelKey } from '../encoding/label-counts.ts'
import { createBatch } from './batch.ts'
import { rollUp } from './rollup.ts'

const name = fc.constantFrom('a', 'b', '__proto__', 'constructor', 'é')
const click = fc.record({
  link: fc.constantFrom(1, 2, 77, 2 ** 40),
  at: fc.integer({ min: 0, max: 10 * 86_400_000 }),
  visitor: fc.bigInt({ min: -3n, max: 3n }),
  country: name,
  referrer: name,
  browser: name,
  os: name,
  device: fc.constantFrom('desktop' as const, 'mobile' as const),
  social: fc.constantFrom(undefined, 'facebook', 'twitter'),
  crawler: fc.boolean(),
})
const pause = async () => {}

describe('a rollup', () => {
  test('adds up to what counting one by one gives', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(click, { maxLength: 60 }), async (clicks) => {
        const batch = createBatch()
        for (const { link, at, ...description } of clicks) batch.add(link, at, description)
        const labelIds = batch.names.map((_, index) => 100 - index)
        const alive = new Set([1, 77, 2 ** 40])
        const rollup = await rollUp(batch, labelIds, alive, pause)
        const id = (label: string) => 100 - batch.names.indexOf(label)
        const stored = clicks.filter(({ link }) => alive.has(link))
        const people = stored.filter(({ crawler }) => !crawler)

        const links = [...new Set(stored.map(({ link }) => link))].sort((a, b) => a - b)
        expect([...rollup.totals.link]).toEqual(links)
        expect([...rollup.totals.clicks]).toEqual(
          links.map((link) => people.filter((one) => one.link === link).length),
        )
        expect([...rollup.totals.lastAt]).toEqual(
          links.map((link) =>
            Math.max(0, ...people.filter((one) => one.link === link).map(({ at }) => at)),
          ),
        )
        expect(
          rollup.details.flatMap(({ link, visitors }) =>
            hashesOf(visitors).map((visitor) => `${link} ${visitor}`),
          ),
        ).toEqual([
          ...new Set(
            people
              .sort((a, b) => a.link - b.link || Number(a.visitor - b.visitor))
              .map(({ link, visitor }) => `${link} ${visitor}`),
          ),
        ])
        expect(
          counters(
            rollup.days.link.map((link, index) => [
              `${link} ${rollup.days.day[index]}`,
              rollup.days.clicks[index] ?? 0,
            ]),
          ),
        ).toEqual(
          counters(people.map(({ link, at }) => [`${link} ${Math.floor(at / 86_400_000)}`, 1])),
        )
        expect(
          counters(
            rollup.details.flatMap(({ link, labels: { keys, clicks } }) =>
              keys.map((key, index): [string, number] => [`${link} ${key}`, clicks[index] ?? 0]),
            ),
          ),
        ).toEqual(
          counters(
            people.flatMap((one): [string, number][] => [
              [`${one.link} ${labelKey(KIND.country, id(one.country))}`, 1],
              [`${one.link} ${labelKey(KIND.referrer, id(one.referrer))}`, 1],
              [`${one.link} ${labelKey(KIND.browser, id(one.browser))}`, 1],
              [`${one.link} ${labelKey(KIND.os, id(one.os))}`, 1],
              ...(one.social === undefined
                ? []
                : [
                    [`${one.link} ${labelKey(KIND.social, id(one.social))}`, 1] as [string, number],
                  ]),
            ]),
          ),
        )
        expect([...rollup.rows].map((row) => clicks[row]?.link)).toEqual(
          stored.map(({ link }) => link).sort((a, b) => a - b),
        )
      }),
    )
  })
})

/** Hashes from their halves, in their order. */
function hashesOf(words: readonly number[]): bigint[] {
  const hashes = Array.from({ length: words.length / 2 }, (_, index) =>
    BigInt.asIntN(
      64,
      (BigInt(words[2 * index + 1] ?? 0) << 32n) |
        BigInt.asUintN(32, BigInt(words[2 * index] ?? 0)),
    ),
  )
  return hashes.sort((a, b) => Number(a - b))
}

function counters(entries: readonly (readonly [string, number])[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const [key, count] of entries) sums.set(key, (sums.get(key) ?? 0) + count)
  return sums
}

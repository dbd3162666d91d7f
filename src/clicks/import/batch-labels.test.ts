import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NO_LABELS } from '../../../test/support/clicks.ts'
import { toLabelKey } from '../encoding/label-counts.ts'
import { KIND } from '../encoding/label-kinds.ts'
import { createBatch } from './batch.ts'
import { rollUp } from './rollup.ts'

const DESCRIPTION = {
  ...NO_LABELS,
  visitor: 1n,
  country: 'a',
  browser: 'a',
  os: 'a',
  device: 'desktop' as const,
  crawler: false,
}

test('the labels of a day are in key order, whether there are few or many', async () => {
  const referrers = fc.array(fc.nat(300), { minLength: 1, maxLength: 400 })
  await fc.assert(
    fc.asyncProperty(fc.array(referrers, { minLength: 1, maxLength: 4 }), async (links) => {
      const batch = createBatch()
      for (const [link, numbers] of links.entries()) {
        for (const number of numbers) {
          batch.add(link + 1, 0, { ...DESCRIPTION, referrer: `${number}.example` })
        }
      }
      const ids = batch.names.map((_, index) => 1000 - index)
      const alive = new Set(links.map((_, link) => link + 1))
      const { details } = await rollUp(batch, ids, alive, async () => {})

      for (const [link, numbers] of links.entries()) {
        const from = details.labelStarts[link] ?? 0
        const to = details.labelStarts[link + 1] ?? 0
        const keys = [...details.labels.keys.subarray(from, to)]
        expect(keys).toEqual(keys.toSorted((a, b) => a - b))
        const clicks = new Map(keys.map((key, index) => [key, details.labels.clicks[from + index]]))
        for (const number of new Set(numbers)) {
          const id = ids[batch.names.indexOf(`${number}.example`)] ?? 0
          expect(clicks.get(toLabelKey(KIND.referrer, id))).toBe(
            numbers.filter((candidate) => candidate === number).length,
          )
        }
        // One label of each other kind as well.
        expect(keys).toHaveLength(new Set(numbers).size + 5)
      }
    }),
    { numRuns: 50 },
  )
})

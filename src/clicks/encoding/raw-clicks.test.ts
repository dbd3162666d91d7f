import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KIND, LAST_KIND, LAST_STORED_KIND } from './label-kinds.ts'
import { eachClick, maxBlockBytes, visitorOf, writeBlockHeader, writeClick } from './raw-clicks.ts'

const DAY_MS = 86_400_000

const click = fc.record({
  time: fc.integer({ min: 0, max: DAY_MS - 1 }),
  visitorLow: fc.integer(),
  visitorHigh: fc.integer(),
  crawler: fc.boolean(),
  isFirst: fc.boolean(),
  labels: fc.tuple(
    ...Array.from({ length: LAST_KIND }, (_, index) =>
      fc.nat([KIND.source, KIND.automated].includes(index + 1) ? 1 : 2 ** 31 - 1),
    ),
  ),
})
const block = fc.record({
  linkId: fc.integer({ min: 1, max: 2 ** 53 - 1 }),
  day: fc.integer({ min: 0, max: 300_000 }),
  clicks: fc.array(click, { maxLength: 5 }),
})

test('raw clicks are read as written', () => {
  fc.assert(
    fc.property(fc.array(block, { maxLength: 4 }), (blocks) => {
      const written = blocks.flatMap(({ linkId, day, clicks }) =>
        clicks.flatMap(({ time, labels, visitorLow, visitorHigh, ...flags }) => [
          { linkId, at: day * DAY_MS + time, ...flags, labels: [0, ...labels] },
          { visitor: BigInt.asIntN(64, (BigInt(visitorHigh) << 32n) | BigInt(visitorLow >>> 0)) },
        ]),
      )
      const parts = blocks.map(({ linkId, day, clicks }) => {
        const target = Buffer.alloc(maxBlockBytes(clicks.length))
        let end = writeBlockHeader(target, 0, { linkId, day, clicks: clicks.length })
        for (const { time, labels, ...otherFields } of clicks) {
          const rawClick = {
            ...otherFields,
            at: day * DAY_MS + time,
            labels: Int32Array.of(0, ...labels),
          }
          end = writeClick(target, end, rawClick)
        }
        return target.subarray(0, end)
      })
      expect(readClicks(Buffer.concat(parts))).toEqual(written)
    }),
  )
})

test('a label kind added after a block was written has no labels in that block', () => {
  const target = Buffer.alloc(maxBlockBytes(1))
  const header = writeBlockHeader(target, 0, { linkId: 1, day: 1, clicks: 1 })
  // The last byte of the header is the number of label kinds.
  target[header - 1] = 1
  const labels = Int32Array.from({ length: LAST_STORED_KIND + 1 }, () => 7)
  const flags = { crawler: false, isFirst: true, visitorLow: 1, visitorHigh: 2 }
  const end = writeClick(target, header, { at: DAY_MS, ...flags, labels })
  const [click] = readClicks(target.subarray(0, end - (LAST_STORED_KIND - 1)))
  expect(click).toMatchObject({ labels: [0, 7, ...Array(LAST_KIND - 1).fill(0)] })
})

/** Returns two objects per click: its fields, and its visitor. */
function readClicks(blocks: Buffer) {
  const objects: object[] = []
  eachClick(blocks, (click) => {
    const { labels, visitorOffset: _offset, ...fields } = click
    objects.push({ ...fields, labels: [...labels.subarray(0, LAST_KIND + 1)] })
    objects.push({ visitor: visitorOf(blocks, click) })
  })
  return objects
}

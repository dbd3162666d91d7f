import { describe, expect, test } from 'vitest'
import { WHOLE } from '../../db/row-counts.ts'
import { BUCKET_STARTS, bucketOf, EXACT, rankBounds } from './click-ranks.ts'

describe('the buckets', () => {
  test('are as many as there are numbers of clicks while these are small', () => {
    for (let clicks = 0; clicks < 32; clicks += 1) expect(bucketOf(clicks)).toBe(clicks)
    expect([bucketOf(32), bucketOf(33), bucketOf(34)]).toEqual([32, 32, 33])
  })

  test('grow with the number of clicks, and by no more than a sixteenth of it', () => {
    for (const [index, start] of BUCKET_STARTS.entries()) {
      expect(Number.isInteger(start)).toBe(true)
      expect(bucketOf(start)).toBe(index + 1)
      expect(bucketOf(start - 1)).toBe(index)
      const next = BUCKET_STARTS[index + 1] ?? start
      expect((next - start) * 16).toBeLessThanOrEqual(Math.max(16, start))
    }
  })
})

describe('the bounds', () => {
  test('of a bucket that is split are those of the block', () => {
    expect(rankBounds(3, 2)).toEqual({
      from: { clicks: 3, id: 32_768 },
      to: { clicks: 3, id: 49_152 },
    })
  })

  test('of others are those of its numbers', () => {
    expect(rankBounds(EXACT, WHOLE)).toEqual({
      from: { clicks: 16, id: 0 },
      to: { clicks: 17, id: 0 },
    })
    const last = BUCKET_STARTS.length
    expect(rankBounds(last, WHOLE).to.clicks).toBe(Number.MAX_SAFE_INTEGER)
  })
})

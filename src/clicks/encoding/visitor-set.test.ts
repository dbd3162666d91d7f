import { randomFillSync } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addToOneBucket,
  addToSet,
  fitsOneBucket,
  HASH_BYTES,
  listNeededBuckets,
} from './visitor-set.ts'

const hash = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
/** Differs from other hashes only in bits that do not select the bucket. */
const similarHash = fc
  .tuple(fc.constantFrom(0n, 1n, 95n), fc.integer())
  .map(([low, high]) => BigInt.asIntN(64, low | (BigInt(high) << 32n)))
const batches = fc.array(fc.uniqueArray(fc.oneof(hash, similarHash), { maxLength: 400 }), {
  maxLength: 8,
})

/** Creates a set that stores only written buckets, like the database. */
function createSet() {
  const buckets = new Map<number, Buffer>()
  let size = 0
  return {
    buckets,
    get size() {
      return size
    },
    add(visitors: readonly bigint[]) {
      const values = toWords(visitors)
      const needed = listNeededBuckets(size, values)
      const known = [...buckets].filter(([bucket]) => needed.has(bucket))
      const result = addToSet(size, new Map(known), values)
      for (const [bucket, hashes] of result.changed) buckets.set(bucket, hashes)
      size = result.size
      return { needed, changed: [...result.changed.keys()] }
    },
    content() {
      return [...buckets.values()].flatMap((bucket) =>
        Array.from({ length: bucket.length / HASH_BYTES }, (_, index) =>
          bucket.readBigInt64LE(index * HASH_BYTES),
        ),
      )
    },
  }
}

const toWords = (hashes: readonly bigint[]) =>
  hashes.flatMap((hash) => [
    Number(BigInt.asIntN(32, hash)),
    Number(BigInt.asIntN(32, hash >> 32n)),
  ])

const createRandomHashes = (count: number) => {
  const words = randomFillSync(new BigInt64Array(count))
  return [...new Set(words)]
}

describe('a set of visitors', () => {
  test('with one bucket gives the same result when updated in place', () => {
    const smallBatch = fc.uniqueArray(fc.oneof(hash, similarHash), { maxLength: 60 })
    fc.assert(
      fc.property(smallBatch, smallBatch, (before, more) => {
        const stored = addToSet(0, new Map(), toWords(before))
        const bucket = stored.changed.get(0) ?? Buffer.alloc(0)
        fc.pre(fitsOneBucket(stored.size + more.length))
        const expected = addToSet(stored.size, new Map([[0, bucket]]), toWords(more))
        const column = Buffer.concat([Buffer.alloc(3), bucket, Buffer.alloc(5)])
        const target = Buffer.alloc(7 + bucket.length + more.length * HASH_BYTES)
        const added = [] as number[]
        const part = { from: 3, to: 3 + bucket.length }
        const end = addToOneBucket(target, 7, column, part, toWords(more), added)
        expect(added).toEqual(expected.added)
        expect(target.subarray(7, end)).toEqual(expected.changed.get(0) ?? bucket)
      }),
    )
  })

  test('contains each visitor once, for any sequence of batches', () => {
    fc.assert(
      fc.property(batches, (list) => {
        const set = createSet()
        const model = new Set<bigint>()
        for (const visitors of list) {
          set.add(visitors)
          for (const visitor of visitors) model.add(visitor)
          expect(set.size).toBe(model.size)
        }
        const content = set.content()
        expect(content).toHaveLength(model.size)
        expect(new Set(content)).toEqual(model)
      }),
    )
  })

  test('recognizes all visitors after growing to many buckets', () => {
    const set = createSet()
    const all = createRandomHashes(30_000)
    for (let start = 0; start < all.length; start += 700) set.add(all.slice(start, start + 700))
    expect(set.size).toBe(all.length)
    set.add(all)
    expect(set.size).toBe(all.length)
    expect(set.add(all.slice(0, 500)).changed).toEqual([])
  })

  test('accepts a large first batch', () => {
    const set = createSet()
    const all = createRandomHashes(50_000)
    set.add(all)
    expect(new Set(set.content())).toEqual(new Set(all))
    expect(set.size).toBe(all.length)
  })

  test('keeps several buckets per database page', () => {
    const set = createSet()
    for (let batch = 0; batch < 150; batch += 1) {
      set.add(createRandomHashes(100))
      // A page has 8 kB.
      expect(Math.max(...[...set.buckets.values()].map(({ length }) => length))).toBeLessThan(2600)
    }
    expect(set.buckets.size).toBe(Math.ceil(set.size / 96))
  })

  test('changes only buckets that it requested or created, and requests few for few visitors', () => {
    const set = createSet()
    set.add(createRandomHashes(20_000))
    const before = new Set(set.buckets.keys())
    const { needed, changed } = set.add(createRandomHashes(10))
    expect(needed.size).toBeLessThanOrEqual(11)
    expect(changed.filter((bucket) => before.has(bucket) && !needed.has(bucket))).toEqual([])
  })

  test('grows even if all visitors are in one bucket', () => {
    const set = createSet()
    const visitors = Array.from({ length: 1000 }, (_, index) => BigInt(index) << 32n)
    for (let start = 0; start < visitors.length; start += 50)
      set.add(visitors.slice(start, start + 50))
    set.add(visitors)
    expect(set.size).toBe(visitors.length)
    expect(new Set(set.content())).toEqual(new Set(visitors))
  })

  test('stores new visitors before known ones', () => {
    const first = addToSet(0, new Map(), toWords([7n])).changed.get(0)
    const second = addToSet(1, new Map([[0, first as Buffer]]), toWords([-2n, 7n]))
    expect(second.size).toBe(2)
    expect(second.changed.get(0)?.toString('hex')).toBe('feffffffffffffff' + '0700000000000000')
  })

  test('stays unchanged when no visitors are added', () => {
    const set = createSet()
    set.add(createRandomHashes(200))
    expect(set.add([])).toEqual({ needed: new Set(), changed: [] })
  })
})

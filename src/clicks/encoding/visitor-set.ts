import type { Range } from './packed-counts.ts'

/**
 * Stores the visitors of a link as a set of 64-bit hashes, distributed over buckets by linear
 * hashing (W. Litwin, 1980). The number of buckets depends only on the number of visitors, and
 * adding a bucket splits an existing one. A batch therefore reads and writes only the buckets of
 * its own visitors, however large the set is. A bucket is a sequence of hashes of eight bytes,
 * newest first, so that PostgreSQL's write-ahead log contains only the added prefix.
 */

/** The size in bytes of a visitor's hash. */
export const HASH_BYTES = 8

/**
 * The average number of hashes per bucket. It is small enough for a bucket to fit into its row's
 * page (no TOAST).
 */
const LOAD = 96

/** A hash consists of two signed 32-bit numbers, low half first. */
const WORDS = 2

/** The hashes of visitors, two words each. */
type Words = ArrayLike<number>

export type Buckets = ReadonlyMap<number, Buffer>

/**
 * Returns the numbers of the buckets needed to add `visitors` (two words each) to a set of `size`
 * visitors. These are the buckets of the visitors and the buckets that may be split.
 */
export function listNeededBuckets(size: number, visitors: Words): Set<number> {
  const buckets = countBuckets(size)
  const needed = new Set<number>()
  for (let index = 0; index < visitors.length; index += WORDS) {
    needed.add(selectBucket(visitors[index] as number, buckets))
  }
  const end = countBuckets(size + visitors.length / WORDS)
  for (let bucket = buckets; bucket < end; bucket += 1) needed.add(findOrigin(bucket, buckets))
  return needed
}

/**
 * Adds distinct visitors to a set of `size` visitors. `stored` has the existing buckets among those
 * that `listNeededBuckets` returned. Returns the new size, all changed buckets, and the indexes of
 * the visitors that were new.
 */
export function addToSet(
  size: number,
  stored: Buckets,
  visitors: Words,
): { size: number; changed: Buckets; added: number[] } {
  const bucketsBefore = countBuckets(size)
  const newIndexesByBucket = new Map<number, number[]>()
  const added: number[] = []
  for (let index = 0; index < visitors.length; index += WORDS) {
    const low = visitors[index] as number
    const bucket = selectBucket(low, bucketsBefore)
    if (bucketContains(stored.get(bucket), low, visitors[index + 1] as number)) continue
    added.push(index / WORDS)
    const list = newIndexesByBucket.get(bucket)
    if (list) list.push(index)
    else newIndexesByBucket.set(bucket, [index])
  }
  const bucketsAfter = countBuckets(size + added.length)
  const changed = new Map<number, Buffer>()
  for (const [bucket, indexes] of newIndexesByBucket) {
    changed.set(bucket, prepend(visitors, indexes, stored.get(bucket)))
  }
  for (const origin of listOrigins(bucketsBefore, bucketsAfter)) {
    const content = changed.get(origin) ?? stored.get(origin) ?? Buffer.alloc(0)
    for (const [bucket, part] of split(content, origin, bucketsAfter)) changed.set(bucket, part)
  }
  return { size: size + added.length, changed, added }
}

/** Returns whether a set of this size has at most one bucket. */
export function fitsOneBucket(size: number): boolean {
  return size <= LOAD
}

/**
 * Works like `addToSet` for a set that has one bucket before and after, which is the case for
 * almost every link. Reads the bucket from a slice of `stored`, and writes the new bucket to
 * `target`, which must be large enough. Appends the indexes of new visitors to `added`. Returns the
 * end offset.
 */
export function addToOneBucket(
  target: Buffer,
  offset: number,
  stored: Buffer,
  { from, to }: Range,
  visitors: Words,
  added: number[],
): number {
  let end = offset
  for (let index = 0; index < visitors.length; index += WORDS) {
    const low = visitors[index] as number
    const high = visitors[index + 1] as number
    if (containsHash(stored, from, to, low, high)) continue
    added.push(index / WORDS)
    target.writeInt32LE(low, end)
    end = target.writeInt32LE(high, end + HASH_BYTES / WORDS)
  }
  return end + stored.copy(target, end, from, to)
}

function countBuckets(size: number): number {
  return Math.max(1, Math.ceil(size / LOAD))
}

/**
 * Returns the bucket that the last bits of a hash select. Hashes of a bucket that does not exist
 * yet are in the bucket with one bit less.
 */
function selectBucket(low: number, buckets: number): number {
  const level = findHighestBit(buckets)
  const bucket = low & (2 * level - 1)
  return bucket < buckets ? bucket : bucket & (level - 1)
}

/**
 * Returns the bucket that contains the hashes of `bucket`, which does not exist yet. Only the first
 * `buckets` exist.
 */
function findOrigin(bucket: number, buckets: number): number {
  let origin = bucket
  while (origin >= buckets) origin -= findHighestBit(origin)
  return origin
}

function listOrigins(bucketsBefore: number, bucketsAfter: number): Set<number> {
  const origins = new Set<number>()
  for (let bucket = bucketsBefore; bucket < bucketsAfter; bucket += 1)
    origins.add(findOrigin(bucket, bucketsBefore))
  return origins
}

/**
 * Splits a bucket and returns its parts by their new number. `buckets` is the new number of
 * buckets. The original bucket may become empty.
 */
function split(content: Buffer, origin: number, buckets: number): Map<number, Buffer> {
  const parts = new Map([[origin, { bytes: Buffer.allocUnsafe(content.length), end: 0 }]])
  for (let offset = 0; offset < content.length; offset += HASH_BYTES) {
    const bucket = selectBucket(content.readInt32LE(offset), buckets)
    let part = parts.get(bucket)
    if (!part) {
      part = { bytes: Buffer.allocUnsafe(content.length), end: 0 }
      parts.set(bucket, part)
    }
    for (let byte = 0; byte < HASH_BYTES; byte += 1) {
      part.bytes[part.end + byte] = content[offset + byte] as number
    }
    part.end += HASH_BYTES
  }
  return new Map(Array.from(parts, ([bucket, { bytes, end }]) => [bucket, bytes.subarray(0, end)]))
}

function bucketContains(bucket: Buffer | undefined, low: number, high: number): boolean {
  return bucket !== undefined && containsHash(bucket, 0, bucket.length, low, high)
}

function containsHash(bytes: Buffer, from: number, to: number, low: number, high: number): boolean {
  // The hashes in a bucket share their last bits, so this compares other bits. One byte usually
  // decides.
  const first = high & 255
  const second = (high >> 8) & 255
  for (let offset = from; offset < to; offset += HASH_BYTES) {
    if (bytes[offset + 4] !== first || bytes[offset + 5] !== second) continue
    if (bytes.readInt32LE(offset) === low && bytes.readInt32LE(offset + 4) === high) return true
  }
  return false
}

function prepend(words: Words, indexes: readonly number[], bucket?: Buffer): Buffer {
  const length = indexes.length * HASH_BYTES
  const result = Buffer.allocUnsafe(length + (bucket?.length ?? 0))
  let offset = 0
  for (const index of indexes) {
    offset = result.writeInt32LE(words[index] as number, offset)
    offset = result.writeInt32LE(words[index + 1] as number, offset)
  }
  bucket?.copy(result, length)
  return result
}

function findHighestBit(value: number): number {
  return 1 << (31 - Math.clz32(value))
}

import type { Range } from './packed-counts.ts'

/**
 * The visitors of one link as a set of 64-bit hashes, spread over buckets by linear hashing
 * (W. Litwin, 1980): the number of buckets follows from the number of visitors alone, and each time it
 * grows by one, one older bucket is split. So a batch reads and writes only the buckets that its own
 * visitors fall into, however many the link has. A bucket is its hashes one after the other, eight
 * bytes each, the newest first; PostgreSQL's log then holds only what was put in front.
 */

/** A visitor's hash takes this many bytes. */
export const HASH_BYTES = 8

/** Hashes in a bucket, on average: few enough to be stored in a row's own page, never beside it. */
const LOAD = 96

/** A hash as two signed numbers of 32 bits, the lower half first. */
const WORDS = 2

/** Visitors, two words each. */
type Words = ArrayLike<number>

export type Buckets = ReadonlyMap<number, Buffer>

/**
 * The numbers of the buckets that must be at hand to add `visitors` (two words each) to a set that has
 * `size` of them: those that they fall into, and those that may be split.
 */
export function bucketsFor(size: number, visitors: Words): Set<number> {
  const buckets = bucketCount(size)
  const needed = new Set<number>()
  for (let index = 0; index < visitors.length; index += WORDS) {
    needed.add(bucketOf(visitors[index] as number, buckets))
  }
  const most = bucketCount(size + visitors.length / WORDS)
  for (let bucket = buckets; bucket < most; bucket += 1) needed.add(originOf(bucket, buckets))
  return needed
}

/**
 * Adds visitors, each named once, to a set that has `size` of them; `stored` holds the buckets that
 * `bucketsFor` asks for, as far as there are any. Gives the new size, every bucket that changed, and
 * which of the visitors were new, by their position in the list.
 */
export function addToSet(
  size: number,
  stored: Buckets,
  visitors: Words,
): { size: number; changed: Buckets; added: number[] } {
  const before = bucketCount(size)
  const fresh = new Map<number, number[]>()
  const added: number[] = []
  for (let index = 0; index < visitors.length; index += WORDS) {
    const low = visitors[index] as number
    const bucket = bucketOf(low, before)
    if (contains(stored.get(bucket), low, visitors[index + 1] as number)) continue
    added.push(index / WORDS)
    const list = fresh.get(bucket)
    if (list) list.push(index)
    else fresh.set(bucket, [index])
  }
  const after = bucketCount(size + added.length)
  const changed = new Map<number, Buffer>()
  for (const [bucket, indexes] of fresh) {
    changed.set(bucket, prepend(visitors, indexes, stored.get(bucket)))
  }
  for (const origin of originsBetween(before, after)) {
    const whole = changed.get(origin) ?? stored.get(origin) ?? Buffer.alloc(0)
    for (const [bucket, part] of split(whole, origin, after)) changed.set(bucket, part)
  }
  return { size: size + added.length, changed, added }
}

/** Whether a set of this size has one bucket at most. */
export function fitsOneBucket(size: number): boolean {
  return size <= LOAD
}

/**
 * The same for a set that has one bucket before and after, as nearly every link's has: the bucket is a
 * part of `stored`, and the one that comes of it is written into `target`, which must have room for
 * all. Gives the end of it; the positions of visitors who were new are added to `added`.
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
    if (isAmong(stored, from, to, low, high)) continue
    added.push(index / WORDS)
    target.writeInt32LE(low, end)
    end = target.writeInt32LE(high, end + HASH_BYTES / WORDS)
  }
  return end + stored.copy(target, end, from, to)
}

function bucketCount(size: number): number {
  return Math.max(1, Math.ceil(size / LOAD))
}

/** The last bits of a hash say where it is; those of a bucket that is not there yet are one fewer. */
function bucketOf(low: number, buckets: number): number {
  const level = highestBit(buckets)
  const bucket = low & (2 * level - 1)
  return bucket < buckets ? bucket : bucket & (level - 1)
}

/** Which of the first `buckets` holds what will be in a later one. */
function originOf(bucket: number, buckets: number): number {
  let origin = bucket
  while (origin >= buckets) origin -= highestBit(origin)
  return origin
}

function originsBetween(before: number, after: number): Set<number> {
  const origins = new Set<number>()
  for (let bucket = before; bucket < after; bucket += 1) origins.add(originOf(bucket, before))
  return origins
}

/** What a bucket holds, by where it belongs among `buckets`; the bucket itself may end up empty. */
function split(whole: Buffer, origin: number, buckets: number): Map<number, Buffer> {
  const parts = new Map([[origin, { bytes: Buffer.allocUnsafe(whole.length), end: 0 }]])
  for (let offset = 0; offset < whole.length; offset += HASH_BYTES) {
    const bucket = bucketOf(whole.readInt32LE(offset), buckets)
    let part = parts.get(bucket)
    if (!part) {
      part = { bytes: Buffer.allocUnsafe(whole.length), end: 0 }
      parts.set(bucket, part)
    }
    for (let byte = 0; byte < HASH_BYTES; byte += 1) {
      part.bytes[part.end + byte] = whole[offset + byte] as number
    }
    part.end += HASH_BYTES
  }
  return new Map(Array.from(parts, ([bucket, { bytes, end }]) => [bucket, bytes.subarray(0, end)]))
}

function contains(bucket: Buffer | undefined, low: number, high: number): boolean {
  return bucket !== undefined && isAmong(bucket, 0, bucket.length, low, high)
}

function isAmong(bytes: Buffer, from: number, to: number, low: number, high: number): boolean {
  // Hashes of a bucket end in the same bits, so it is the others that tell them apart: one byte nearly always.
  const [first, second] = [high & 255, (high >> 8) & 255]
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

function highestBit(value: number): number {
  return 1 << (31 - Math.clz32(value))
}

import { createByteaWriter } from '../../db/pg-binary.ts'
import type { StoredValues } from '../encoding/stored-values.ts'
import {
  addToOneBucket,
  addToSet,
  type Buckets,
  fitsOneBucket,
  HASH_BYTES,
  listNeededBuckets,
} from '../encoding/visitor-set.ts'
import type { Details } from './rollup.ts'

/** The stored visitors of links. Only contains the buckets that a batch needs. */
export type StoredVisitors = {
  /** The number of visitors of each link. */
  visitors: Float64Array
  /** The bucket in each link's own row. */
  hashes: StoredValues
  /** Additional buckets, by link and bucket number. */
  buckets: ReadonlyMap<number, ReadonlyMap<number, Buffer>>
}

export type Bucket = { link_id: number; bucket: number; hashes: Buffer }

/** The number of the bucket stored in the link's own row. */
const FIRST_BUCKET = 0
const WORDS = HASH_BYTES / Int32Array.BYTES_PER_ELEMENT

/** Returns the visitors of a link in a batch, two words each. */
export function visitorsOf({ visitors, visitorStarts }: Details, position: number): Int32Array {
  return visitors.subarray(
    WORDS * (visitorStarts[position] as number),
    WORDS * (visitorStarts[position + 1] as number),
  )
}

/** Returns the numbers of the buckets outside the link's own row that its visitors need. */
export function additionalBuckets(size: number, visitors: Int32Array): Iterable<number> {
  if (fitsOneBucket(size + visitors.length / WORDS)) return []
  return listNeededBuckets(size, visitors).difference(FIRST_BUCKET_ONLY)
}

/**
 * Creates a merge that adds visitors of `count` links to their sets and collects the rows to store.
 */
export function createVisitorMerge(details: Details, stored: StoredVisitors, count: number) {
  const sizes = new Float64Array(count)
  const hashes = createByteaWriter()
  const buckets: Bucket[] = []
  const firstBucketRange = (index: number) => ({
    from: stored.hashes.starts[index] as number,
    to: stored.hashes.ends[index] as number,
  })

  /**
   * Adds the visitors of the next link. `position` is its position in the batch, `index` its index
   * among these links. Returns the indexes of new visitors.
   */
  function add(position: number, index: number): readonly number[] {
    const visitors = visitorsOf(details, position)
    const size = stored.visitors[index] as number
    if (!fitsOneBucket(size + visitors.length / WORDS)) {
      return addToBuckets(details.link[position] as number, index, size, visitors)
    }
    const added: number[] = []
    const first = firstBucketRange(index)
    const start = hashes.startValue(first.to - first.from + visitors.length * (HASH_BYTES / WORDS))
    hashes.endValue(
      addToOneBucket(hashes.bytes, start, stored.hashes.bytes, first, visitors, added),
    )
    sizes[index] = size + added.length
    return added
  }

  function addToBuckets(
    link: number,
    index: number,
    size: number,
    visitors: Int32Array,
  ): readonly number[] {
    const { from, to } = firstBucketRange(index)
    const first = stored.hashes.bytes.subarray(from, to)
    const existing: Buckets = new Map([...(stored.buckets.get(link) ?? []), [FIRST_BUCKET, first]])
    const set = addToSet(size, existing, visitors)
    sizes[index] = set.size
    for (const [bucket, content] of set.changed) {
      if (bucket !== FIRST_BUCKET) buckets.push({ link_id: link, bucket, hashes: content })
    }
    const content = set.changed.get(FIRST_BUCKET) ?? first
    const start = hashes.startValue(content.length)
    hashes.endValue(start + content.copy(hashes.bytes, start))
    return set.added
  }

  return { add, buckets, end: () => ({ visitors: sizes, hashes: hashes.finish() }) }
}

const FIRST_BUCKET_ONLY: ReadonlySet<number> = new Set([FIRST_BUCKET])

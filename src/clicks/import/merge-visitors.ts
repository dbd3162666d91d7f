import { createByteaWriter } from '../../db/pg-binary.ts'
import type { StoredValues } from '../encoding/stored-values.ts'
import {
  addToOneBucket,
  addToSet,
  type Buckets,
  bucketsFor,
  fitsOneBucket,
  HASH_BYTES,
} from '../encoding/visitor-set.ts'
import type { Details } from './rollup.ts'

/** The sets of visitors of links, as far as the visitors of a batch concern them. */
export type StoredVisitors = {
  /** How many visitors each link has, and the bucket of them that stands in its own row. */
  visitors: Float64Array
  hashes: StoredValues
  /** Further buckets, by link and number. */
  buckets: ReadonlyMap<number, ReadonlyMap<number, Buffer>>
}

export type Bucket = { link_id: number; bucket: number; hashes: Buffer }

/** The bucket that stands in the link's own row. */
const FIRST = 0
const WORDS = HASH_BYTES / Int32Array.BYTES_PER_ELEMENT

/** The visitors of a link of a batch, two words each. */
export function visitorsOf({ visitors, visitorStarts }: Details, position: number): Int32Array {
  return visitors.subarray(
    WORDS * (visitorStarts[position] as number),
    WORDS * (visitorStarts[position + 1] as number),
  )
}

/** The buckets beside a link's own row that its visitors concern, whatever is in that row. */
export function furtherBuckets(size: number, visitors: Int32Array): Iterable<number> {
  if (fitsOneBucket(size + visitors.length / WORDS)) return []
  return bucketsFor(size, visitors).difference(ONLY_FIRST)
}

/** Adds visitors of `count` links to their sets and collects what is to be stored. */
export function createVisitorMerge(details: Details, stored: StoredVisitors, count: number) {
  const sizes = new Float64Array(count)
  const hashes = createByteaWriter()
  const buckets: Bucket[] = []
  const firstOf = (index: number) => ({
    from: stored.hashes.starts[index] as number,
    to: stored.hashes.ends[index] as number,
  })

  /** Adds those of the next link, given by its position in the batch and among these; gives the new ones. */
  function add(position: number, index: number): readonly number[] {
    const visitors = visitorsOf(details, position)
    const size = stored.visitors[index] as number
    if (!fitsOneBucket(size + visitors.length / WORDS)) {
      return addToBuckets(details.link[position] as number, index, size, visitors)
    }
    const added: number[] = []
    const first = firstOf(index)
    const begin = hashes.begin(first.to - first.from + visitors.length * (HASH_BYTES / WORDS))
    hashes.end(addToOneBucket(hashes.bytes, begin, stored.hashes.bytes, first, visitors, added))
    sizes[index] = size + added.length
    return added
  }

  function addToBuckets(
    link: number,
    index: number,
    size: number,
    visitors: Int32Array,
  ): readonly number[] {
    const { from, to } = firstOf(index)
    const first = stored.hashes.bytes.subarray(from, to)
    const known: Buckets = new Map([...(stored.buckets.get(link) ?? []), [FIRST, first]])
    const set = addToSet(size, known, visitors)
    sizes[index] = set.size
    for (const [bucket, content] of set.changed) {
      if (bucket !== FIRST) buckets.push({ link_id: link, bucket, hashes: content })
    }
    const content = set.changed.get(FIRST) ?? first
    const begin = hashes.begin(content.length)
    hashes.end(begin + content.copy(hashes.bytes, begin))
    return set.added
  }

  return { add, buckets, end: () => ({ visitors: sizes, hashes: hashes.finish() }) }
}

const ONLY_FIRST: ReadonlySet<number> = new Set([FIRST])

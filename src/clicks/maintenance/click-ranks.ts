import { BLOCK_SIZE, WHOLE } from '../../db/row-counts.ts'

/** Numbers of clicks below this have a bucket each, which is split by blocks of ids. */
export const EXACT = 16
/** Buckets in each doubling of clicks: a bucket spans at most a sixteenth of its least number. */
const STEPS = 16
const DOUBLINGS = 30

/**
 * The least number of clicks in each bucket but the first, which has the links without any. The n-th
 * begins bucket n, as PostgreSQL's `width_bucket` counts.
 */
export const BUCKET_STARTS: readonly number[] = [
  ...Array.from({ length: EXACT - 1 }, (_, index) => index + 1),
  ...Array.from(
    { length: DOUBLINGS * STEPS },
    (_, index) => (STEPS + (index % STEPS)) * 2 ** Math.floor(index / STEPS),
  ),
]

/** The bucket of a number of clicks, as `width_bucket` gives it. */
export function bucketOf(clicks: number): number {
  return BUCKET_STARTS.findLastIndex((start) => start <= clicks) + 1
}

/** A place in the order by clicks and then ids. */
export type RankBound = { clicks: number; id: number }

/** Where the links of a bucket and block begin in ascending order, and where they have ended. */
export function rankBounds(bucket: number, block: number): { from: RankBound; to: RankBound } {
  if (block !== WHOLE) {
    return {
      from: { clicks: bucket, id: block * BLOCK_SIZE },
      to: { clicks: bucket, id: (block + 1) * BLOCK_SIZE },
    }
  }
  return {
    from: { clicks: startOf(bucket), id: 0 },
    to: { clicks: startOf(bucket + 1), id: 0 },
  }
}

function startOf(bucket: number): number {
  if (bucket === 0) return 0
  return BUCKET_STARTS[bucket - 1] ?? Number.MAX_SAFE_INTEGER
}

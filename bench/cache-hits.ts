import { LRUCache } from 'lru-cache'
import { createZipf } from './zipf.ts'

/**
 * How many visits meet a link in a worker's memory, and how many links a batch of clicks is of, where the
 * links are far more than any bench can store: simulated with the cache that the service has.
 */
const BATCH = 50_000

for (const links of [1e6, 1e8, 1e10]) {
  const draw = createZipf(links)
  const batch = new Set(Array.from({ length: BATCH }, draw))
  const hits = [1e5, 1e6].map((size) => `${size} in memory: ${percent(hitRate(draw, size))} hits`)
  console.log(`${links} links: ${hits.join(', ')}; ${batch.size} links in ${BATCH} clicks`)
}

/** Of the visits once the cache is full and has been for a while. */
function hitRate(draw: () => number, size: number): number {
  const cache = new LRUCache<number, true>({ max: size })
  let hits = 0
  const visits = size * 5
  for (let visit = -visits; visit < visits; visit += 1) {
    const link = draw()
    if (cache.get(link)) hits += visit < 0 ? 0 : 1
    else cache.set(link, true)
  }
  return hits / visits
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

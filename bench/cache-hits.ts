import { LRUCache } from 'lru-cache'
import { createZipfRanks } from './zipf.ts'

// Simulates the hit rate of a worker's link cache, and the number of distinct links per batch of
// clicks, for more links than a benchmark can store. Uses the cache library of the service.

const BATCH_CLICKS = 50_000

for (const links of [1e6, 1e8, 1e10]) {
  const draw = createZipfRanks(links)
  const batch = new Set(Array.from({ length: BATCH_CLICKS }, draw))
  const hits = [1e5, 1e6].map(
    (size) => `${size} in memory: ${formatPercent(measureHitRate(draw, size))} hits`,
  )
  console.log(`${links} links: ${hits.join(', ')}; ${batch.size} links in ${BATCH_CLICKS} clicks`)
}

/** Returns the hit rate of a full cache. The first half of the visits, below 0, only fills it. */
function measureHitRate(draw: () => number, size: number): number {
  const cache = new LRUCache<number, true>({ max: size })
  let hits = 0
  const visits = size * 5
  for (let visit = -visits; visit < visits; visit += 1) {
    const link = draw()
    if (!cache.get(link)) cache.set(link, true)
    else if (visit >= 0) hits += 1
  }
  return hits / visits
}

function formatPercent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

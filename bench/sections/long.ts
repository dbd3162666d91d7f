import { startBrevis } from '../brevis.ts'
import type { Bench, Figure } from '../figures.ts'
import { makeLinks } from '../make.ts'
import { visitScript } from '../visits.ts'
import { visitUntilDrained } from './redirect.ts'

/**
 * Measures a minute of visits to 100,000 links, long enough for the import to affect the result.
 */
export async function long({ log, quick }: Bench): Promise<Figure[]> {
  const [links, seconds] = quick ? [10_000, 5] : [100_000, 60]
  await using brevis = await startBrevis()
  log(`storing ${links} links`)
  const aliases = await makeLinks(brevis.database.pool, { prefix: 'bench', count: links })
  const script = visitScript(aliases)
  brevis.useTwoCores()
  log('bringing the links into memory')
  await visitUntilDrained(brevis, script, quick ? 3 : 15)
  log(`visiting for ${seconds} s`)
  const { rate, drained, p50, p99 } = await visitUntilDrained(brevis, script, seconds)
  return [
    { name: 'redirects, while loaded', value: rate, unit: '/s' },
    { name: 'redirects, until drained', value: drained, unit: '/s' },
    { name: 'p50', value: p50, unit: 'ms' },
    { name: 'p99', value: p99, unit: 'ms' },
  ]
}

import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { startBrevis } from '../brevis.ts'
import type { BenchOptions, Figure } from '../figures.ts'
import { createLinks } from '../make.ts'
import { readResidentBytes } from '../processes.ts'
import { runInSmallContainer } from './small-container.ts'

const MIB = 2 ** 20
const CONCURRENCY = 32
/** Gives garbage collection and the allocator time to release memory. */
const PAUSE_MS = 10_000
/** Milliseconds until all processes are idle and have collected the garbage left by startup. */
const STARTUP_MS = 20_000

/**
 * Measures the memory of all idle processes, and the memory of a worker after visits to 100,000 of a
 * million links. Also runs everything in a container of 512 MiB.
 */
export async function memory({ log, quick }: BenchOptions): Promise<Figure[]> {
  const small = await runInSmallContainer(log)
  const [links, visited] = quick ? [20_000, 10_000] : [1_000_000, 100_000]
  await using brevis = await startBrevis()
  const { worker, url, database } = brevis
  await sleep(STARTUP_MS)
  const idle = brevis.readMemory()
  const aliases = await createLinks(database.pool, { prefix: 'bench', count: links }, log)
  brevis.pinToSeparateCores()
  const before = readResidentBytes(worker)
  log(`visiting ${visited} links`)
  const step = links / visited
  await visitEach(
    url,
    Array.from({ length: visited }, (_, index) => aliases[index * step] ?? ''),
  )
  await brevis.waitUntilDrained()
  const after = readResidentBytes(worker)
  await sleep(PAUSE_MS)
  const afterPause = readResidentBytes(worker)
  return [
    ...small,
    ...Object.entries(idle).map(([name, bytes]) => ({
      name: `idle: ${name}`,
      value: bytes / MIB,
      unit: 'MiB',
    })),
    {
      name: 'idle: all processes',
      unit: 'MiB',
      goal: { atMost: 250 },
      value: Object.values(idle).reduce((sum, bytes) => sum + bytes, 0) / MIB,
    },
    { name: 'worker after the start', value: before / MIB, unit: 'MiB' },
    { name: 'worker after the visits', value: after / MIB, unit: 'MiB' },
    {
      name: `worker after ${PAUSE_MS / 1000} s idle`,
      value: afterPause / MIB,
      unit: 'MiB',
      goal: { atMost: 300 },
    },
  ]
}

async function visitEach(url: string, aliases: readonly string[]): Promise<void> {
  const pool = new Pool(url, { connections: CONCURRENCY })
  const remaining = aliases.values()
  const visit = async () => {
    // All connections share one iterator, so each takes the next alias.
    for (const alias of remaining) {
      const { statusCode, body } = await pool.request({ path: `/${alias}`, method: 'GET' })
      await body.dump()
      if (statusCode !== 302) throw new Error(`/${alias} returned ${statusCode}`)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, visit))
  await pool.close()
}

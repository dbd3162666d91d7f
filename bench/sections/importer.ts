import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createChildEnvironment } from '../../src/config.ts'
import { measureBareRate } from '../bare.ts'
import type { BenchOptions, Figure } from '../figures.ts'

const PROGRAM = fileURLToPath(new URL('../importer.ts', import.meta.url))
const TIMEOUT_MS = 300_000

type Result = { imported: number; clicksPerSecond: number; bytesPerClick: number }

/**
 * Measures how fast clicks are imported from the journal to PostgreSQL on an idle machine, relative
 * to redirects of bare Fastify.
 */
export async function importer({ log, quick }: BenchOptions): Promise<Figure[]> {
  const clicks = quick ? 100_000 : 1_000_000
  const bare = await measureBareRate(quick ? 3 : 10)
  log(`bare Fastify ${Math.round(bare)}/s`)
  const figures: Figure[] = []
  for (const [links, atLeast] of [
    [1000, 2.5],
    [100_000, 1],
  ] as const) {
    log(`${clicks} clicks of ${links} links`)
    const { clicksPerSecond, bytesPerClick } = await measure(links, clicks)
    const label = `${links.toLocaleString('en-US')} links`
    figures.push(
      { name: `importer, ${label}`, value: clicksPerSecond, unit: 'clicks/s' },
      {
        name: `importer, ${label}, relative`,
        value: clicksPerSecond / bare,
        unit: 'of bare Fastify',
        goal: { atLeast },
      },
      { name: `disk, ${label}`, value: bytesPerClick, unit: 'bytes/click', goal: { atMost: 230 } },
    )
  }
  return figures
}

async function measure(links: number, clicks: number): Promise<Result> {
  const args = [PROGRAM, '--links', String(links), '--clicks', String(clicks)]
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    timeout: TIMEOUT_MS,
    env: createChildEnvironment({ DATABASE_URL: '' }),
  })
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
}

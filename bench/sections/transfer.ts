import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '../../src/config.ts'
import { type Brevis, startBrevis } from '../brevis.ts'
import type { Bench, Figure } from '../figures.ts'
import { writeLinksFile } from '../links-file.ts'
import { cpuSeconds, OTHER_CORE, peakBytes, SERVER_CORE } from '../processes.ts'

const COMMAND = fileURLToPath(new URL('../../bin/brevis', import.meta.url))
const MIB = 1024 * 1024
/** Links per second for a million in three minutes. */
const RATE = 1_000_000 / 180
const SAMPLE_MS = 100

type Run = { links: number; seconds: number; peak: number; cpu: number; databaseCpu: number }

/**
 * Measures the import and export of a million links by command, on two cores with PostgreSQL. On a
 * shared machine, processor seconds are more meaningful than elapsed time.
 */
export async function transfer({ log, quick }: Bench): Promise<Figure[]> {
  const links = quick ? 20_000 : 1_000_000
  const folder = await mkdtemp(join(tmpdir(), 'brevis-transfer-'))
  try {
    await using brevis = await startBrevis()
    brevis.useBothCores()
    const { rows } = await brevis.database.pool.query<{ email: string }>(
      'select email from accounts order by id limit 1',
    )
    const account = ['--account', rows[0]?.email ?? '', '--json']
    const [input, output] = [join(folder, 'in.jsonl'), join(folder, 'out.jsonl')]
    await writeLinksFile(input, links)
    log(`importing ${links} links`)
    const imported = await run(brevis, ['import', input, '--from', 'jsonl', ...account], 'created')
    log(`exporting ${links} links`)
    const exported = await run(brevis, ['export', output, ...account], 'links')
    for (const { links: moved } of [imported, exported]) {
      if (moved !== links) throw new Error(`${moved} of ${links} links moved`)
    }
    return [...figuresOf('import', imported), ...figuresOf('export', exported)]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function figuresOf(name: string, { links, seconds, peak, cpu, databaseCpu }: Run): Figure[] {
  const million = 1_000_000 / links
  return [
    { name, value: links / seconds, unit: 'links/s', goal: { atLeast: RATE } },
    {
      name: `${name}, memory of the command`,
      value: peak / MIB,
      unit: 'MiB',
      goal: { atMost: 300 },
    },
    {
      name: `${name}, CPU time of the command per million`,
      value: cpu * million,
      unit: 's',
    },
    {
      name: `${name}, PostgreSQL CPU time per million`,
      value: databaseCpu * million,
      unit: 's',
    },
  ]
}

/** Runs a command. `count` names the result field that holds the number of links. */
async function run(brevis: Brevis, args: readonly string[], count: string): Promise<Run> {
  const cores = `${SERVER_CORE},${OTHER_CORE}`
  const before = brevis.cpu().database
  const started = performance.now()
  const child = spawn('taskset', ['-c', cores, COMMAND, ...args], {
    cwd: tmpdir(),
    env: childEnvironment({
      DATABASE_URL: brevis.databaseUrl,
      BASE_URL: brevis.url,
      LINKS_PER_ACCOUNT: '0',
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = Promise.all([text(child.stdout), text(child.stderr)])
  let [peak, cpu, databaseCpu] = [0, 0, 0]
  while (child.exitCode === null && child.signalCode === null) {
    const pid = child.pid ?? 0
    peak = Math.max(peak, peakBytes(pid))
    cpu = Math.max(cpu, cpuSeconds(pid))
    // The processor time of a connection's process is lost when it ends.
    databaseCpu = Math.max(databaseCpu, brevis.cpu().database - before)
    await sleep(SAMPLE_MS)
  }
  const seconds = (performance.now() - started) / 1000
  const [stdout, stderr] = await output
  if (child.exitCode !== 0) throw new Error(`${args[0]} failed: ${stderr}`)
  return { links: JSON.parse(stdout)[count], seconds, peak, cpu, databaseCpu }
}

import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createChildEnvironment } from '../../src/config.ts'
import { type Brevis, startBrevis } from '../brevis.ts'
import type { BenchOptions, Figure } from '../figures.ts'
import { writeLinksFile } from '../links-file.ts'
import { OTHER_CORE, readCpuSeconds, readPeakBytes, SERVER_CORE } from '../processes.ts'

const COMMAND = fileURLToPath(new URL('../../bin/brevis', import.meta.url))
const MIB = 1024 * 1024
/** A million links in three minutes. */
const MIN_LINKS_PER_SECOND = 1_000_000 / 180
const SAMPLE_MS = 100

type CommandResult = {
  links: number
  seconds: number
  peakMemory: number
  cpuSeconds: number
  databaseCpuSeconds: number
}

/**
 * Measures the commands that import and export links, with a million links. The command and
 * PostgreSQL share two cores. On a busy machine, CPU time is more meaningful than elapsed time.
 */
export async function transfer({ log, quick }: BenchOptions): Promise<Figure[]> {
  const links = quick ? 20_000 : 1_000_000
  const folder = await mkdtemp(join(tmpdir(), 'brevis-transfer-'))
  try {
    await using brevis = await startBrevis()
    brevis.useAllCores()
    const { rows } = await brevis.database.pool.query<{ email: string }>(
      'select email from accounts order by id limit 1',
    )
    const account = ['--account', rows[0]?.email ?? '', '--json']
    const input = join(folder, 'in.jsonl')
    const output = join(folder, 'out.jsonl')
    await writeLinksFile(input, links)
    log(`importing ${links} links`)
    const imported = await runCommand(
      brevis,
      ['import', input, '--from', 'jsonl', ...account],
      'created',
    )
    log(`exporting ${links} links`)
    const exported = await runCommand(brevis, ['export', output, ...account], 'links')
    for (const { links: count } of [imported, exported]) {
      if (count !== links) throw new Error(`${count} of ${links} links were transferred`)
    }
    return [...toFigures('import', imported), ...toFigures('export', exported)]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function toFigures(
  name: string,
  { links, seconds, peakMemory, cpuSeconds, databaseCpuSeconds }: CommandResult,
): Figure[] {
  const perMillion = 1_000_000 / links
  return [
    { name, value: links / seconds, unit: 'links/s', goal: { atLeast: MIN_LINKS_PER_SECOND } },
    {
      name: `${name}, memory of the command`,
      value: peakMemory / MIB,
      unit: 'MiB',
      goal: { atMost: 300 },
    },
    {
      name: `${name}, CPU time of the command per million`,
      value: cpuSeconds * perMillion,
      unit: 's',
    },
    {
      name: `${name}, PostgreSQL CPU time per million`,
      value: databaseCpuSeconds * perMillion,
      unit: 's',
    },
  ]
}

/** Runs a command. `count` is the field of its JSON result with the number of links. */
async function runCommand(
  brevis: Brevis,
  args: readonly string[],
  count: string,
): Promise<CommandResult> {
  const cores = `${SERVER_CORE},${OTHER_CORE}`
  const before = brevis.readCpu().database
  const started = performance.now()
  const child = spawn('taskset', ['-c', cores, COMMAND, ...args], {
    cwd: tmpdir(),
    env: createChildEnvironment({
      DATABASE_URL: brevis.databaseUrl,
      BASE_URL: brevis.url,
      LINKS_PER_ACCOUNT: '0',
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = Promise.all([text(child.stdout), text(child.stderr)])
  let peakMemory = 0
  let cpuSeconds = 0
  while (child.exitCode === null && child.signalCode === null) {
    const pid = child.pid ?? 0
    peakMemory = Math.max(peakMemory, readPeakBytes(pid))
    cpuSeconds = Math.max(cpuSeconds, readCpuSeconds(pid))
    await sleep(SAMPLE_MS)
  }
  const seconds = (performance.now() - started) / 1000
  const databaseCpuSeconds = brevis.readCpu().database - before
  const [stdout, stderr] = await output
  if (child.exitCode !== 0) throw new Error(`${args[0]} failed: ${stderr}`)
  return { links: JSON.parse(stdout)[count], seconds, peakMemory, cpuSeconds, databaseCpuSeconds }
}

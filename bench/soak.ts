import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readArguments } from '../scripts/arguments.ts'
import { createChildEnvironment, readConfig } from '../src/config.ts'
import { createContext } from '../src/context.ts'
import { migrate } from '../src/db/migrate.ts'
import { openDatabase } from '../src/db/pool.ts'
import { balanceOf, formatTableRow, tableHead, untilImported } from '../test/support/accounting.ts'
import { freePort } from '../test/support/free-port.ts'
import { createInstance, type Instance } from '../test/support/instance.ts'
import { type Load, startLoad } from '../test/support/load.ts'
import { createMake } from '../test/support/make.ts'
import { startPrivatePostgres } from '../test/support/private-postgres.ts'
import { type ApiLoad, startApiLoad } from './soak/api-load.ts'
import { formatMemory, growthFactor, type Sample, sampleMemory } from './soak/memory.ts'

const USAGE = `Usage: npm run soak

Runs a mixed load for a long time to find memory leaks, logged errors and miscounted clicks. Exits with 1 if it
finds a problem. SOAK_MINUTES sets the duration, 5 by default.`

readArguments(USAGE)
const minutes = Number(createChildEnvironment({}).SOAK_MINUTES ?? 5)
const SAMPLE_MS = 5000
const LINK_COUNT = 200
/**
 * The maximum growth of a process's memory from the first third of the run to the last. Caches fill
 * during the first third, and a leak exceeds this factor within an hour.
 */
const MAX_GROWTH_FACTOR = 1.5
/** The log level `error`, as Pino writes it. */
const ERROR_LEVEL = 50

const folder = mkdtempSync(join(tmpdir(), 'brevis-soak-'))
// PostgreSQL runs as another user if this is root.
chmodSync(folder, 0o755)
mkdirSync(join(folder, 'database'))
const postgres = await startPrivatePostgres(join(folder, 'database'))
try {
  const problems = await soak()
  for (const problem of problems) console.log(`PROBLEM: ${problem}`)
  if (problems.length === 0) console.log('no problems')
  process.exitCode = problems.length > 0 ? 1 : 0
} finally {
  await postgres.close()
  rmSync(folder, { recursive: true, force: true })
}

async function soak(): Promise<string[]> {
  await migrate(postgres.url)
  const { key, aliases, visitorKey } = await prepare()
  const database = openDatabase({ url: postgres.url, name: 'soak', queryTimeout: 120_000 })
  const instance = createInstance({
    databaseUrl: postgres.url,
    dataDir: join(folder, 'data'),
    port: await freePort(),
  })
  try {
    await instance.start()
    const { origin } = instance
    const target = (identity: number) => `${origin}/${aliases[identity % aliases.length]}`
    const load = startLoad({ target, lanes: 8, pause: 12 })
    const api = startApiLoad({ origin, key, lanes: 2, pauseMs: 25 })
    const samples = await sampleUntilEnd(instance, load, api)
    await Promise.all([load.stop(), api.stop()])
    await untilImported(database, visitorKey, load)
    const total = await countLinks(origin, key)
    const code = await instance.stop()
    const balance = await balanceOf(database, visitorKey, load)
    console.log(
      `\n${formatMemory(samples)}\n\n${tableHead}\n${formatTableRow('soak', 0, balance)}\n`,
    )
    return [
      ...findProblems(instance, load, api, samples),
      ...(code === 0 ? [] : [`the service exited with ${code}`]),
      ...(total === api.liveLinks + LINK_COUNT
        ? []
        : [`${total} links instead of ${api.liveLinks + LINK_COUNT}`]),
      ...(balance.lost.length === 0 ? [] : [`${balance.lost.length} clicks were lost`]),
      ...(balance.duplicated === 0 ? [] : [`${balance.duplicated} clicks were counted twice`]),
      ...(balance.miscounted === 0 ? [] : [`the counters are off by ${balance.miscounted}`]),
      ...balance.discrepancies.map((each) => JSON.stringify(each)),
    ]
  } finally {
    await instance.kill()
    await database.close()
  }
}

/** Creates an account with links to visit. The API load does not change these links. */
async function prepare() {
  const config = readConfig({ DATA_DIR: join(folder, 'setup') })
  const services = await createContext({ ...config, databaseUrl: postgres.url }, 'web', {
    subscribed: false,
  })
  const make = createMake(services)
  const owner = await make.owner()
  const aliases: string[] = []
  while (aliases.length < LINK_COUNT) aliases.push((await make.link(owner)).alias)
  await services.close()
  return { key: owner.key, aliases, visitorKey: services.instance.visitorKey }
}

async function sampleUntilEnd(instance: Instance, load: Load, api: ApiLoad): Promise<Sample[]> {
  const startedAt = performance.now()
  const elapsedSeconds = () => (performance.now() - startedAt) / 1000
  const samples: Sample[] = []
  while (elapsedSeconds() < minutes * 60) {
    await sleep(SAMPLE_MS)
    samples.push(await sampleMemory(instance, elapsedSeconds()))
    if (samples.length % 12 !== 0) continue
    const visits = load.acknowledged.size
    console.log(`${Math.round(elapsedSeconds())} s: ${visits} visits, ${api.calls} API calls`)
  }
  return samples
}

async function countLinks(origin: string, key: string): Promise<number> {
  const reply = await fetch(`${origin}/api/urls`, { headers: { authorization: `Bearer ${key}` } })
  const { data } = (await reply.json()) as { data: { result: number } }
  return data.result
}

function findProblems(instance: Instance, load: Load, api: ApiLoad, samples: Sample[]): string[] {
  const unexpected = [...load.outcomes].filter(([answer]) => answer !== '302')
  const errors = instance.log.filter(({ level }) => level >= ERROR_LEVEL)
  const names = [...(samples[0]?.mebibytes.keys() ?? [])]
  return [
    ...unexpected.map(([answer, count]) => `${count} visits ended in ${answer}`),
    ...[...api.errors].map(([problem, count]) => `${count} times: ${problem}`),
    ...errors.map((line) => `logged error: ${JSON.stringify(line)}`),
    ...instance.stderrTexts.map((text) => `stderr: ${text}`),
    ...names
      .filter((name) => growthFactor(samples, name) > MAX_GROWTH_FACTOR)
      .map((name) => `${name} grew by more than a factor of ${MAX_GROWTH_FACTOR}`),
  ]
}

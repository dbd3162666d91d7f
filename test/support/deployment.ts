import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, onTestFinished } from 'vitest'
import { createChildEnvironment, readConfig } from '../../src/config.ts'
import { createContext } from '../../src/context.ts'
import { migrate } from '../../src/db/migrate.ts'
import { balanceOf, formatTableRow, untilImported } from './accounting.ts'
import { openPatiently, PATIENT } from './database.ts'
import { freePort } from './free-port.ts'
import { createInstance, type Instance } from './instance.ts'
import { type Load, type LoadOptions, startLoad } from './load.ts'
import { createMake } from './make.ts'
import { quickHasher } from './quick-hasher.ts'
import { scratchFolder } from './scratch.ts'

export type Deployment = Awaited<ReturnType<typeof createDeployment>>

const { FAULT_ROUNDS } = createChildEnvironment({})
/** The number of times each fault occurs: `FAULT_ROUNDS`, or once. */
export const faultRounds = Number(FAULT_ROUNDS ?? 1)

/** Milliseconds between requests of a lane. The longer pause leaves processor time for starts. */
const pause = FAULT_ROUNDS ? 4 : 60

const LINKS = 20

/**
 * Prepares a database for instances of the service that tests start: migrates it, and creates an
 * account with links. Close it at the end.
 */
export async function createDeployment(databaseUrl: string, { isMigrated = false } = {}) {
  const folder = await mkdtemp(join(scratchFolder(), 'brevis-faults-'))
  const instances: Instance[] = []
  if (!isMigrated) await migrate(databaseUrl)
  const database = openPatiently(databaseUrl)
  const config = readConfig({
    DATA_DIR: join(folder, 'maker'),
    RATE_LIMIT_PER_MINUTE: '1000000',
    DOMAIN_CHECK: 'off',
  })
  const context = await createContext({ ...config, databaseUrl }, 'web', {
    subscribed: false,
    timeouts: PATIENT,
    hasher: quickHasher,
  })
  const services = context
  const make = createMake(services)
  const owner = await make.owner()
  const aliases: string[] = []
  for (let index = 0; index < LINKS; index += 1) aliases.push((await make.link(owner)).alias)
  let load: Load | undefined

  return {
    database,
    /** The services in this process, like an instance that receives no requests. */
    services,
    make,
    owner,
    aliases,

    /** Creates a controller of the service with a new or the given data folder, not started yet. */
    async createInstance({
      dataDir = join(folder, `data-${instances.length + 1}`),
      url = databaseUrl,
      env = {},
    }: {
      dataDir?: string
      url?: string
      env?: Record<string, string>
    } = {}): Promise<Instance> {
      const instance = createInstance({
        databaseUrl: url,
        dataDir,
        port: await freePort(),
        env: { ...inject('compileCache'), ...env },
      })
      instances.push(instance)
      return instance
    },

    /** Returns the function that maps identities to short URLs of `instance`. */
    target: (instance: Pick<Instance, 'origin'>) => (identity: number) =>
      `${instance.origin}/${aliases[identity % aliases.length]}`,

    /** Starts to visit `target`, with identities that no earlier load used. */
    load(target: LoadOptions['target'], more: Pick<LoadOptions, 'host'> = {}): Load {
      load = startLoad({ pause, ...more, target, usedIdentities: load?.last ?? 0 })
      onTestFinished(load.stop)
      return load
    },

    /** Waits until every acknowledged visit is imported. */
    waitUntilImported: (load: Load) => untilImported(database, services.instance.visitorKey, load),

    /** Compares every visit of a load with the database. */
    balance: (load: Load) => balanceOf(database, services.instance.visitorKey, load),

    /**
     * Expects that every acknowledged visit of a load is counted exactly once. Returns a row for the
     * table of faults.
     */
    async expectExactCounts(load: Load, fault: string, times: number): Promise<string> {
      const balance = await balanceOf(database, services.instance.visitorKey, load)
      const row = formatTableRow(fault, times, balance)
      expect(balance.acknowledged).toBeGreaterThan(0)
      expect(balance).toMatchObject({ lost: [], duplicated: 0, foreign: 0, discrepancies: [] })
      expect(balance.miscounted).toBe(0)
      return row
    },

    async close(): Promise<void> {
      await services.close()
      for (const instance of instances) await instance.kill()
      await database.close().catch(() => {})
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

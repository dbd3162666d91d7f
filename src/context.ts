import { createBlockList } from './blocked-hosts/block-list.ts'
import { type Clock, systemClock } from './clock.ts'
import { createFairQueue } from './concurrency/fair-queue.ts'
import type { Config } from './config.ts'
import { createAbsentDatabase } from './db/absent-database.ts'
import { SHORT_STATEMENTS } from './db/client.ts'
import type { Instance } from './db/instance.ts'
import { type Database, type DatabaseOptions, type Db, openDatabase } from './db/pool.ts'
import { createHosts } from './domains/hosts.ts'
import { listServiceHosts } from './domains/service-hosts.ts'
import { argon, type Hasher } from './identity/argon.ts'
import { createQuota } from './identity/quota.ts'
import { createPasswordQueues, createRateLimitedHasher } from './identity/rate-limited-hasher.ts'
import { createRateLimiter } from './identity/rate-limiter.ts'
import { createStorage } from './identity/storage.ts'
import { createLinkInserter } from './links/insert-links.queries.ts'
import { storeFolder } from './links/store/store-file.ts'
import { createStoreReader } from './links/store/store-reader.ts'
import { createVisitLinks } from './links/visit-links.ts'
import { chooseSizes } from './memory-sizes.ts'
import type { Lookup } from './net/checked-connector.ts'
import { createGuardedFetch } from './net/guarded-fetch.ts'
import { createExportScheduler } from './transfer/export-scheduler.ts'
import { createKeySeal } from './transfer/key-seal.ts'
import { allowDestinationSchemes } from './urls/destination-url.ts'
import type { WebParts } from './web-context.ts'
import { createOutbox } from './webhooks/outbox.ts'

/** The role of a process: serve requests, run background work, or run one command. */
export type Role = 'web' | 'importer' | 'command'

export type Log = (fields: Record<string, unknown>, message: string) => void

/**
 * The dependencies that all services of a process share. They do not include the database
 * connection: services receive it as an argument, because it may be a transaction.
 */
export type Context = ReturnType<typeof createSharedContext>

/** A context with the additional dependencies of the `web` role. */
export type WebContext = Context & WebParts

/** A context with the identity of the installation. */
export type InstanceContext = Context & { instance: Instance }

/** A context with its database. Call `close` when done. */
export type Connected<C extends Context> = C & {
  db: Db
  database: Database
  close(): Promise<void>
}

/** The context of HTTP routes, which pass the database to services. */
export type HttpContext = Connected<WebContext>

/** The settings of a process. On an edge, `databaseUrl` is empty. */
export type ReadyConfig = Config & { databaseUrl: string }

export type ContextOptions = {
  clock?: Clock
  log?: Log
  /** For `web`: logs lost clicks. Default: `log`. */
  reportLoss?: Log
  /**
   * Timeouts in milliseconds for the database and for loading a link. Tests on slow machines
   * increase them.
   */
  timeouts?: { connectTimeout?: number; queryTimeout?: number; maxWaitMs?: number }
  /** Resolves host names for outbound requests. Default: the system resolver. */
  lookup?: Lookup
  /** Hashes passwords. The default depends on the role. */
  hasher?: Hasher & { close?(): void }
  /** For `web`: the interval between heartbeats of live statistics. */
  heartbeatMs?: number
  /** For `web`: whether to listen for changes by other processes. Defaults to true. */
  subscribed?: boolean
  /** For `web`: whether to wait if the database is unreachable, instead of failing. */
  waitsForDatabase?: boolean
}

/** A page in the middle of ten million links takes seconds. One process reads one at a time. */
const DEEP_PAGES = { name: 'web', max: 1, queryTimeout: 20_000, settings: SHORT_STATEMENTS }

/**
 * Commands have no query timeout, because imports and recounts may take hours. No visitor waits for
 * them, so they may connect slowly.
 */
export const COMMAND_TIMEOUTS = { connectTimeout: 5000, queryTimeout: 0 }

const DATABASE: Record<Role, Omit<DatabaseOptions, 'url'>> = {
  web: { name: 'web', settings: SHORT_STATEMENTS },
  importer: { name: 'importer', max: 4 },
  command: { name: 'command', max: 2, ...COMMAND_TIMEOUTS },
}

/**
 * Creates all dependencies of a process. Services receive the result as their first argument. Only
 * the `web` role loads the modules for serving requests, so that commands start fast.
 */
export async function createContext(
  config: ReadyConfig,
  role: 'web',
  options?: ContextOptions,
): Promise<Connected<WebContext>>
export async function createContext(
  config: ReadyConfig,
  role: Role,
  options?: ContextOptions,
): Promise<Connected<Context>>
export async function createContext(
  config: ReadyConfig,
  role: Role,
  options: ContextOptions = {},
): Promise<Connected<Context>> {
  const { log = () => {}, timeouts: { maxWaitMs, ...timeouts } = {} } = options
  allowDestinationSchemes(config.destinationSchemes)
  const database = config.main
    ? createAbsentDatabase()
    : openDatabase({
        ...DATABASE[role],
        ...timeouts,
        url: config.databaseUrl,
        onError: (error) => log({ reason: error.message }, 'an idle database connection broke'),
      })
  const { db } = database
  const deepDatabase =
    role === 'web' && !config.main
      ? openDatabase({ ...DEEP_PAGES, url: config.databaseUrl })
      : database
  const hasher: ContextOptions['hasher'] & object =
    options.hasher ?? (role === 'web' ? await startHashingProcess() : argon)
  const shared = createSharedContext({
    ...options,
    config,
    db,
    deepDb: deepDatabase.db,
    log,
    hasher,
    maxWaitMs,
  })
  const requireInstance = (instance: Instance) => {
    for (const each of new Set([database, deepDatabase])) each.requireInstance(instance)
  }
  const web =
    role === 'web' ? await createWeb({ ...options, ...shared, db, requireInstance }) : undefined
  return {
    ...shared,
    ...web,
    db,
    database,
    async close(): Promise<void> {
      shared.outbound.close()
      hasher.close?.()
      await web?.close()
      shared.store.close()
      if (deepDatabase !== database) await deepDatabase.close()
      await database.close()
    },
  }
}

type SharedOptions = Pick<ContextOptions, 'clock' | 'lookup'> & {
  config: ReadyConfig
  db: Db
  deepDb: Db
  log: Log
  hasher: Hasher
  maxWaitMs: number | undefined
}

function createSharedContext({
  config,
  db,
  deepDb,
  log,
  hasher,
  maxWaitMs,
  ...options
}: SharedOptions) {
  const { clock = systemClock, lookup } = options
  const { baseUrl, linksPerAccount, bioPagesPerAccount } = config
  const isEdge = config.main !== undefined
  const folder = storeFolder(config.dataDir)
  const store = createStoreReader({ folder, isOnlySource: isEdge, log })
  const blockList = createBlockList({ db, isStored: isEdge, store })
  const passwords = createPasswordQueues(hasher)
  return {
    config,
    clock,
    log,
    lookup,
    outbound: createGuardedFetch({ allow: config.outboundAllow, ...(lookup && { lookup }) }),
    store,
    blockList,
    hosts: createHosts({ db, serviceHosts: listServiceHosts(config), blockList, store }),
    visitLinks: createVisitLinks({
      db,
      baseUrl,
      blockList,
      store,
      max: chooseSizes().cachedLinks,
      maxWaitMs,
      isForgiving: config.aliasMatch === 'forgiving',
    }),
    /** Batches the inserts of concurrent requests, outside of transactions. */
    insertLink: createLinkInserter(db),
    outbox: createOutbox({ clock }),
    rateLimiter: createRateLimiter({ db }),
    passwords,
    linkPasswords: createRateLimitedHasher({
      db,
      passwords: passwords.accounts,
      perMinute: 2 * config.rateLimitPerMinute,
    }),
    quotas: {
      links: createQuota({ kind: 'links', limit: linksPerAccount }),
      codes: createQuota({ kind: 'qr_codes', limit: linksPerAccount }),
      bios: createQuota({ kind: 'bio_pages', limit: bioPagesPerAccount }),
    },
    storage: createStorage(config.bytesPerAccount),
    keySeal: createKeySeal({ dataDir: config.dataDir }),
    exportTurns: createExportScheduler(),
    /**
     * Limits searches. Each may scan a million links, with several database processes and two
     * connections.
     */
    searches: createFairQueue({ maxRunning: 3, maxWaiting: 256, maxWaitingPerKey: 32 }),
    /** Reads pages far from both ends of long lists, with a longer limit but one at a time. */
    deepPages: {
      db: deepDb,
      turns: createFairQueue({ maxRunning: 1, maxWaiting: 64, maxWaitingPerKey: 8 }),
    },
    /** Limits queries of raw clicks, which may read millions of them. */
    rawReads: createFairQueue({ maxRunning: 2, maxWaiting: 64, maxWaitingPerKey: 8 }),
  }
}

async function startHashingProcess(): Promise<Hasher & { close(): void }> {
  const { createHashingProcess } = await import('./identity/hashing-process.ts')
  const { createBareEnvironment } = await import('./config.ts')
  return createHashingProcess({ env: createBareEnvironment() })
}

async function createWeb(
  ...input: Parameters<typeof import('./web-context.ts').createWebParts>
): Promise<WebParts & { close(): Promise<void> }> {
  const { createWebParts } = await import('./web-context.ts')
  return createWebParts(...input)
}

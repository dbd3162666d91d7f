import { argon, type Hasher } from './accounts/argon.ts'
import { createPasswordQueues } from './accounts/password-queues.ts'
import { createQuota } from './accounts/quota.ts'
import { createRateLimitedHasher } from './accounts/rate-limited-hasher.ts'
import { createRateLimiter } from './accounts/rate-limiter.ts'
import { createBlockList } from './blocked-hosts/block-list.ts'
import { type Clock, systemClock } from './clock.ts'
import { createFairQueue } from './concurrency/fair-queue.ts'
import type { Config } from './config.ts'
import { SHORT_STATEMENTS } from './db/client.ts'
import type { Instance } from './db/instance.ts'
import { type Database, type DatabaseOptions, type Db, openDatabase } from './db/pool.ts'
import { createHosts } from './domains/hosts.ts'
import { serviceHosts } from './domains/service-hosts.ts'
import { createLinkInserter } from './links/insert-links.queries.ts'
import { storeFolder } from './links/store/store-file.ts'
import { createStoreReader } from './links/store/store-reader.ts'
import { createVisitLinks } from './links/visit-links.ts'
import type { Lookup } from './net/checked-connector.ts'
import { createGuardedFetch } from './net/guarded-fetch.ts'
import { createExportTurns } from './transfer/export-turns.ts'
import { createKeySeal } from './transfer/key-seal.ts'
import type { WebParts } from './web-context.ts'
import { createOutbox } from './webhooks/outbox.ts'

/** What a process of the program does: serve requests, import in the background, or run one command. */
export type Role = 'web' | 'importer' | 'command'

export type Log = (fields: Record<string, unknown>, message: string) => void

/**
 * What the services of a process share. It has no connection to the database: a service works on the
 * one that it is given, which may be a transaction.
 */
export type Context = ReturnType<typeof createSharedParts>

/** A context with what only the services of visitors, clients and people need. */
export type WebContext = Context & WebParts

/** A context of a process that knows its installation. */
export type InstanceContext = Context & { instance: Instance }

/** A context as its process has it: with the database, to be closed in the end. */
export type Connected<C extends Context> = C & {
  db: Db
  database: Database
  close(): Promise<void>
}

/** What HTTP works with: it passes the connection on to the services that it calls. */
export type HttpContext = Connected<WebContext>

export type ReadyConfig = Config & { databaseUrl: string }

export type ContextOptions = {
  clock?: Clock
  log?: Log
  /** How long the database, and a visit for its link, may take; tests on a busy machine give them longer. */
  timeouts?: { connectTimeout?: number; queryTimeout?: number; patience?: number }
  /** Resolves the names that outbound requests go to, in place of the system. */
  lookup?: Lookup
  /** Hashes passwords, in place of the role's own way. */
  hasher?: Hasher & { close?(): void }
  /** For `web`: whether to listen for changes that other processes make; on by default. */
  subscribed?: boolean
  /** For `web`: waits for a database that cannot be reached, instead of failing. */
  patient?: boolean
}

/** A recount, or an import, may take as long as it takes, so a command is never cut off. */
const DATABASE: Record<Role, Omit<DatabaseOptions, 'url'>> = {
  web: { name: 'web', settings: SHORT_STATEMENTS },
  importer: { name: 'importer', max: 4 },
  command: { name: 'command', max: 2, queryTimeout: 0 },
}

/**
 * Makes everything that a process has once. This is the only place that does: services are functions
 * of what it returns. Only `web` loads what serving needs, so that a command starts fast.
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
  const { log = () => {}, timeouts: { patience, ...timeouts } = {} } = options
  const database = openDatabase({
    ...DATABASE[role],
    ...timeouts,
    url: config.databaseUrl,
    onError: (error) => log({ reason: error.message }, 'an idle database connection broke'),
  })
  const { db } = database
  const hasher: ContextOptions['hasher'] & object =
    options.hasher ?? (role === 'web' ? await startHashingProcess() : argon)
  const shared = createSharedParts({ ...options, config, db, log, hasher, patience })
  const web = role === 'web' ? await createWeb({ ...options, ...shared, db }) : undefined
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
      await database.close()
    },
  }
}

type SharedOptions = Pick<ContextOptions, 'clock' | 'lookup'> & {
  config: ReadyConfig
  db: Db
  log: Log
  hasher: Hasher
  patience: number | undefined
}

function createSharedParts({ config, db, log, hasher, patience, ...options }: SharedOptions) {
  const { clock = systemClock, lookup } = options
  const { baseUrl, linksPerAccount } = config
  const store = createStoreReader({ folder: storeFolder(config.dataDir), log })
  const blockList = createBlockList({ db, store })
  const passwords = createPasswordQueues(hasher)
  return {
    config,
    clock,
    log,
    lookup,
    outbound: createGuardedFetch({ allow: config.outboundAllow, ...(lookup && { lookup }) }),
    store,
    blockList,
    hosts: createHosts({ db, serviceHosts: serviceHosts(config), blockList, store }),
    visitLinks: createVisitLinks({ db, baseUrl, blockList, store, patience }),
    /** Inserts links of many requests at once, outside of any transaction. */
    insertLink: createLinkInserter(db),
    outbox: createOutbox({ clock }),
    rateLimiter: createRateLimiter({ db }),
    passwords,
    linkPasswords: createRateLimitedHasher({
      db,
      passwords: passwords.own,
      perMinute: 2 * config.rateLimitPerMinute,
    }),
    quotas: {
      links: createQuota({ kind: 'links', limit: linksPerAccount }),
      codes: createQuota({ kind: 'qr_codes', limit: linksPerAccount }),
    },
    keySeal: createKeySeal({ dataDir: config.dataDir }),
    exportTurns: createExportTurns(),
    /** Each may scan a million links, with several processes of the database and two connections. */
    searches: createFairQueue({ maxRunning: 3, maxWaiting: 256, maxWaitingPerKey: 32 }),
    /** Statistics that may count millions of raw clicks; one account has one at a time. */
    rawReads: createFairQueue({ maxRunning: 2, maxWaiting: 64, maxWaitingPerKey: 8 }),
  }
}

async function startHashingProcess(): Promise<Hasher & { close(): void }> {
  const { createHashingProcess } = await import('./accounts/hashing-process.ts')
  const { bareEnvironment } = await import('./config.ts')
  return createHashingProcess({ env: bareEnvironment() })
}

async function createWeb(
  ...input: Parameters<typeof import('./web-context.ts').createWebParts>
): Promise<WebParts & { close(): Promise<void> }> {
  const { createWebParts } = await import('./web-context.ts')
  return createWebParts(...input)
}

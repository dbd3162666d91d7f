import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { purgeRemovedClicks } from '../../src/clicks/import.ts'
import { updateLinkOrder } from '../../src/clicks/maintenance/link-order.ts'
import { readConfig } from '../../src/config.ts'
import {
  type ContextOptions,
  createContext,
  type HttpContext,
  type ReadyConfig,
} from '../../src/context.ts'
import { buildApp } from '../../src/http/app.ts'
import type { ConnectionLimits } from '../../src/http/connections.ts'
import { createHttpLog, type LogStream } from '../../src/http/logging.ts'
import { createClickImporter } from '../../src/importer/click-importer.ts'
import { getLink } from '../../src/links/link.service.ts'
import type { Lookup } from '../../src/net/checked-connector.ts'
import { scopeOf } from '../../src/scope.ts'
import { createClock, type TestClock } from './clock.ts'
import { type Contract, readContract } from './contract.ts'
import { PATIENT, testDatabase, testDatabaseWithLocale } from './database.ts'
import { createMake, type Make, type Owner } from './make.ts'
import { quickHasher } from './quick-hasher.ts'
import { scratchFolder } from './scratch.ts'

export type TestApp = {
  fastify: FastifyInstance
  /** The services. The history of a link shows their changes as made by the command line. */
  services: HttpContext
  clock: TestClock
  make: Make
  /** The service's own origin, for short URLs in expectations. */
  baseUrl: string
  /** Injects a request, by default from 203.0.113.7 to the service's host. */
  request: (options: InjectOptions) => ReturnType<typeof send>
  /**
   * Imports all clicks, updates the order by clicks, and deletes the clicks of deleted links, like
   * the importer.
   */
  importClicks: () => Promise<void>
  /** Returns the number of clicks of an owner's link, including those just recorded. */
  clicksOf: (owner: Owner, id: number) => Promise<number>
  databaseUrl: string
  /** The API description, with which every reply to `request` is compared. */
  contract: Contract
  /** Listens on loopback, for requests that cannot be injected. `port()` returns the port. */
  listen: () => Promise<void>
  port: () => number
  close: () => Promise<void>
}

export type TestAppOptions = {
  /** Settings by environment variable, in addition to those for tests. */
  env?: Record<string, string>
  /** Settings with file names. Each file is created with this content and deleted at the end. */
  files?: Record<string, string | Uint8Array>
  /** Receives the log instead of stdout. */
  logTo?: LogStream
  /** Resolves names instead of the system. */
  lookup?: Lookup
  /** Connection limits for tests. */
  connections?: Partial<ConnectionLimits>
  /** Milliseconds between heartbeats of live figures. */
  heartbeatMs?: number
  /** Milliseconds after which statements are canceled. Longer than the service's by default. */
  queryTimeout?: number
  /** Hashes passwords like the service: at full cost, in a low-priority process. Default: false. */
  usesRealHasher?: boolean
  /** The ICU locale of the database. Default: that of the server. */
  locale?: string
}

/** Creates the real application with a separate database. Close it after the file's tests. */
export async function testApp({
  env = {},
  files = {},
  logTo,
  lookup,
  connections,
  heartbeatMs,
  queryTimeout = PATIENT.queryTimeout,
  usesRealHasher = false,
  locale,
}: TestAppOptions = {}): Promise<TestApp> {
  const database = await (locale ? testDatabaseWithLocale(locale) : testDatabase())
  const folder = await mkdtemp(join(scratchFolder(), 'brevis-app-'))
  const baseUrl = 'http://brev.test'
  const config = readConfig({
    BASE_URL: baseUrl,
    DATA_DIR: folder,
    LOG_LEVEL: 'error',
    RATE_LIMIT_PER_MINUTE: '1000000',
    DOMAIN_CHECK: 'off',
    ...env,
    ...(await writeFiles(folder, files)),
  })
  const clock = createClock()
  const log = createHttpLog(config, logTo)
  const context = await createContext({ ...config, databaseUrl: database.url }, 'web', {
    clock,
    timeouts: { ...PATIENT, queryTimeout, maxWaitMs: PATIENT.queryTimeout },
    ...(lookup && { lookup }),
    ...(heartbeatMs && { heartbeatMs }),
    log: (fields, message) => log.warn(fields, message),
    ...(!usesRealHasher && { hasher: quickHasher }),
  })
  const services = context
  const app = await buildApp(context, { log, ...(connections && { connections }) })
  await app.ready()
  const contract = readContract(app, env)
  const importer = createClickImporter({
    dir: config.journalDir,
    db: database,
    instance: services.instance,
    country: services.country,
    clients: services.clients,
    clock,
    log,
    retentionDays: config.clickRetentionDays,
  })
  return {
    fastify: app,
    services,
    clock,
    baseUrl,
    make: createMake(services),
    contract,
    request: (options) => send(app, baseUrl, contract, options),
    async importClicks() {
      await importer.drain()
      await updateLinkOrder(database.db)
      await purgeRemovedClicks(database.db)
    },
    async clicksOf(owner, id) {
      await importer.drain()
      return (await getLink(scopeOf(services, owner.account.id), id)).clicks
    },
    databaseUrl: database.url,
    async listen() {
      if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 })
    },
    port: () => (app.server.address() as AddressInfo).port,
    async close() {
      await importer.stop()
      await app.close()
      await services.close()
      await database.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Creates the context of another process on the database of `app`. Close it at the end. */
export function createOtherProcess(
  { services, databaseUrl }: TestApp,
  changes: Partial<ReadyConfig> = {},
  options: ContextOptions = {},
): Promise<HttpContext & { close(): Promise<void> }> {
  const config = { ...services.config, databaseUrl, ...changes }
  return createContext(config, 'web', { timeouts: PATIENT, ...options })
}

async function writeFiles(
  folder: string,
  files: NonNullable<TestAppOptions['files']>,
): Promise<Record<string, string>> {
  const paths: Record<string, string> = {}
  for (const [setting, content] of Object.entries(files)) {
    const path = join(folder, setting)
    await writeFile(path, content)
    paths[setting] = path
  }
  return paths
}

async function send(
  app: FastifyInstance,
  baseUrl: string,
  contract: Contract,
  options: InjectOptions,
) {
  const { host } = new URL(baseUrl)
  const reply = await app.inject({
    remoteAddress: '203.0.113.7',
    ...options,
    headers: { host, ...options.headers },
  })
  const isCompressed = reply.headers['content-encoding'] !== undefined
  if (!isCompressed) contract.check(options.method ?? 'GET', String(options.url ?? ''), reply)
  return reply
}

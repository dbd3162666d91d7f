import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { purgeRemoved } from '../../src/clicks/import.ts'
import { updateLinkOrder } from '../../src/clicks/maintenance/link-order.ts'
import { readConfig } from '../../src/config.ts'
import { createContext, type HttpContext } from '../../src/context.ts'
import { buildApp } from '../../src/http/app.ts'
import type { ConnectionLimits } from '../../src/http/connections.ts'
import { createHttpLog, type LogStream } from '../../src/http/logging.ts'
import { createClickImporter } from '../../src/importer/click-importer.ts'
import { getLink } from '../../src/links/link.service.ts'
import { type ActingContext, actAs, COMMANDS } from '../../src/links/versions/actor.ts'
import type { Lookup } from '../../src/net/checked-connector.ts'
import { createClock, type TestClock } from './clock.ts'
import { type Contract, readContract } from './contract.ts'
import { testDatabase } from './database.ts'
import { createMake, type Make, type Owner } from './make.ts'
import { quickHasher } from './quick-hasher.ts'
import { scratchFolder } from './scratch.ts'

export type TestApp = {
  fastify: FastifyInstance
  /** The services; what they change in links counts as changed by commands. */
  services: HttpContext & ActingContext
  clock: TestClock
  make: Make
  /** The service's own origin, for building short URLs in expectations. */
  baseUrl: string
  /** A request as if it came over the network, by default from 203.0.113.7 to the service's host. */
  request: (options: InjectOptions) => ReturnType<typeof send>
  /**
   * Brings every click so far into the statistics and lists by clicks into their order, and deletes the
   * clicks of deleted links, as the importer does.
   */
  importClicks: () => Promise<void>
  /** The clicks of an owner's link, all until now. */
  clicksOf: (owner: Owner, id: number) => Promise<number>
  databaseUrl: string
  /** The API's description; every reply to `request` is held against it. */
  contract: Contract
  /** Has the app accept connections on loopback, for what cannot be injected; then `port()` says where. */
  listen: () => Promise<void>
  port: () => number
  close: () => Promise<void>
}

export type TestAppOptions = {
  /** Settings by their environment variables, on top of the ones that suit tests. */
  env?: Record<string, string>
  /** Settings that name a file: each gets one with this content, which goes when the app is closed. */
  files?: Record<string, string | Uint8Array>
  /** Takes the log instead of stdout. */
  logTo?: LogStream
  /** Resolves names in place of the system. */
  lookup?: Lookup
  /** Limits of connections that suit a test. */
  connections?: Partial<ConnectionLimits>
  /** Milliseconds between heartbeats of live figures. */
  heartbeatMs?: number
  /** Has passwords hashed as the service does: at its price, by a process that comes last on a busy machine. */
  hashApart?: boolean
}

/** The real app on a database of its own. Close it when the file's tests are done. */
export async function testApp({
  env = {},
  files = {},
  logTo,
  lookup,
  connections,
  heartbeatMs,
  hashApart = false,
}: TestAppOptions = {}): Promise<TestApp> {
  const database = await testDatabase()
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
    timeouts: { connectTimeout: 20_000, queryTimeout: 20_000, maxWaitMs: 20_000 },
    ...(lookup && { lookup }),
    ...(heartbeatMs && { heartbeatMs }),
    log: (fields, message) => log.warn(fields, message),
    ...(!hashApart && { hasher: quickHasher }),
  })
  const services = actAs(context, COMMANDS)
  const app = await buildApp(context, { log, ...(connections && { connections }) })
  await app.ready()
  const contract = readContract(app, env)
  const importer = createClickImporter({
    dir: config.journalDir,
    db: database,
    visitorKey: services.instance.visitorKey,
    country: services.country,
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
      await purgeRemoved(database.db)
    },
    async clicksOf(owner, id) {
      await importer.drain()
      return (await getLink(services, services.db, owner.account.id, id)).clicks
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
  contract.check(options.method ?? 'GET', String(options.url ?? ''), reply)
  return reply
}

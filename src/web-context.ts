import { createLossReport, createReserveReport, openJournal } from './clicks/append.ts'
import type { Clock } from './clock.ts'
import type { FairQueue } from './concurrency/fair-queue.ts'
import { type Config, createBareEnvironment } from './config.ts'
import { awaitInstance, type Instance, loadInstance } from './db/instance.ts'
import { subscribe } from './db/notify.ts'
import type { Database, Db } from './db/pool.ts'
import { createDatabaseCheck } from './db/readiness.ts'
import { createEdgeCheck, watchStore } from './edge/edge-state.ts'
import type { Edges } from './edge/edges.ts'
import { createMainClient } from './edge/main-client.ts'
import { describeFileProblem, findFolderProblem } from './files/file-problem.ts'
import { createAccess } from './identity/access.ts'
import { createIdempotency } from './identity/idempotency.ts'
import { createAuthorizationServer } from './identity/oauth/authorization-server.ts'
import { createIdentityProvider } from './identity/oidc/provider.ts'
import { type Caches, createInvalidation } from './invalidation.ts'
import { createPasswordGuesses } from './links/password-guesses.ts'
import { createShareImageReader } from './links/share-images/share-images.ts'
import { storeFolder } from './links/store/store-file.ts'
import type { StoreReader } from './links/store/store-reader.ts'
import { awaitStoredInstance, findStoredInstance } from './links/store/stored-instance.ts'
import { createLiveFeed } from './live/live.ts'
import type { Lookup } from './net/checked-connector.ts'
import type { GuardedFetch } from './net/guarded-fetch.ts'
import { createLogoDecoder } from './pictures/logo-process.ts'
import { createCounters } from './process/counters.ts'
import { ForeignFilesError, requireOwnFiles } from './process/foreign-files.ts'
import { createReadiness } from './process/readiness.ts'
import { createCodeImages } from './qr/code-images.ts'
import { createLogoReader } from './qr/logo-source.ts'
import { createPixelVendors } from './resources/pixel-vendors.ts'
import { createCountryLookup } from './visitors/country.ts'
import { createClientClassifier } from './visitors/crawler.ts'
import { createAddressHash } from './visitors/visitor-hash.ts'

export type WebParts = Omit<Awaited<ReturnType<typeof createWebParts>>, 'close'>

type Options = Omit<Caches, 'access'> & {
  store: StoreReader
  config: Config & { databaseUrl: string }
  db: Db
  requireInstance: Database['requireInstance']
  log: (fields: Record<string, unknown>, message: string) => void
  reportLoss?: Options['log'] | undefined
  outbound: GuardedFetch
  clock: Clock
  rawReads: FairQueue
  heartbeatMs?: number | undefined
  passwords: { visits: Parameters<typeof createPasswordGuesses>[0]['passwords'] }
  subscribed?: boolean
  waitsForDatabase?: boolean
  lookup?: Lookup | undefined
}

/**
 * Creates the dependencies of a process that serves requests, and keeps its caches consistent with
 * the database.
 */
export async function createWebParts({
  config,
  db,
  requireInstance,
  log,
  reportLoss = log,
  outbound,
  passwords,
  clock,
  rawReads,
  heartbeatMs,
  subscribed = true,
  waitsForDatabase = false,
  lookup,
  ...caches
}: Options) {
  const { baseUrl, databaseUrl } = config
  const { main, edgeToken } = config
  const instance = await findInstance({ config, db, log, waitsForDatabase })
  requireOwnFiles(config, instance)
  requireInstance(instance)
  caches.store.open(instance.token)
  const hashAddress = createAddressHash(instance.visitorKey)
  const country = await createCountryLookup({
    file: config.geoipFile,
    log: { warn: (details, message) => log({ ...details }, message) },
    mayBeUnreadable: true,
  })
  const journal = openJournal({
    dir: config.journalDir,
    sync: config.clickSync,
    authorize: () => requireOwnFiles(config, instance),
    onLoss: createLossReport(reportLoss, { dir: config.journalDir }),
    onReserveUsed: createReserveReport(reportLoss),
  })
  const access = createAccess({ db, limit: config.rateLimitPerMinute, hashAddress })
  const live = createLiveFeed({ clock, rawReads }, db, { heartbeatMs })
  const { invalidate, setSubscribed, clear } = createInvalidation({ ...caches, access })
  if (main) setSubscribed(true)
  const stopWatching = main && watchStore(caches.store, clear)
  const subscription =
    subscribed && !main
      ? subscribe({
          url: databaseUrl,
          db,
          onChange: invalidate,
          onClicks: live.receive,
          onLost: () => setSubscribed(false),
          onRestored: () => setSubscribed(true),
          log: (message) => log({}, message),
        })
      : undefined
  const edges = edgeToken ? await openEdges({ config, edgeToken, instance, clock, log }) : undefined
  const decoder = createLogoDecoder({ env: createBareEnvironment() })
  return {
    instance,
    hashAddress,
    country,
    clients: createClientClassifier(config.botNames),
    journal,
    access,
    live,
    readLogo: createLogoReader({ outbound, decoder, logoDir: config.logoDir }),
    readShareImage: createShareImageReader({ decoder }),
    codeImages: createCodeImages({ db, baseUrl, hashAddress }),
    guesses: createPasswordGuesses({ db, hashAddress, passwords: passwords.visits, log }),
    idempotency: createIdempotency({ db }),
    pixelVendors: createPixelVendors(config.pixelsFile),
    counters: createCounters(),
    /** The identity provider. Undefined if none is configured. */
    provider:
      config.oidc &&
      createIdentityProvider({
        settings: config.oidc,
        baseUrl,
        allow: config.outboundAllow,
        lookup,
        log,
      }),
    readiness: createReadiness({
      checkSource: main
        ? createEdgeCheck(storeFolder(config.dataDir), caches.store)
        : createDatabaseCheck({ db, databaseUrl, subscription }),
      store: caches.store,
      findJournalProblem: () => {
        const error = journal.findProblem()
        if (error && !(error instanceof ForeignFilesError))
          return describeFileProblem(config.journalDir, error)
        return findForeignFiles(config, instance) ?? findFolderProblem(config.journalDir)
      },
    }),
    /** The services for edges. Undefined without `EDGE_TOKEN`. */
    edges,
    /** Lets apps connect without a key. Undefined if the MCP server is off, or without https. */
    authorizationServer:
      config.mcp && config.console && !main
        ? createAuthorizationServer({
            ...{ db, baseUrl, log },
            siteName: config.siteName,
            secret: instance.visitorKey,
          })
        : undefined,
    /** Sends requests to the main installation. Undefined unless this is an edge. */
    postToMain: main && createMainClient(main),
    async close(): Promise<void> {
      stopWatching?.()
      live.close()
      decoder.close()
      await journal.close()
      country.close()
      await subscription?.close()
      await edges?.close()
    },
  }
}

/** Returns why the files of another installation have taken the place of the own ones, if so. */
function findForeignFiles(config: Config, instance: Instance): string | undefined {
  try {
    requireOwnFiles(config, instance)
    return undefined
  } catch (error) {
    return error instanceof ForeignFilesError ? error.message : undefined
  }
}

/** Returns the identity of this installation or, on an edge, of the main installation. */
async function findInstance({
  config,
  db,
  log,
  waitsForDatabase,
}: Pick<Options, 'config' | 'db' | 'log' | 'waitsForDatabase'>): Promise<Instance> {
  if (config.main) return awaitMainInstance(config, log)
  if (!waitsForDatabase) return loadInstance(db)
  return awaitInstance(db, {
    onUnreachable: ({ message, cause }) =>
      log(
        { reason: cause instanceof Error ? cause.message : message },
        'the database is unavailable, retrying',
      ),
    findStored: () => findStoredInstance(storeFolder(config.dataDir)),
  })
}

/** Returns the instance of an edge's link store. Waits until there is a link store. */
async function awaitMainInstance({ dataDir }: Config, log: Options['log']): Promise<Instance> {
  const folder = storeFolder(dataDir)
  const found = findStoredInstance(folder)
  if (found) return found
  log({}, 'there is no link store yet, waiting for the main installation')
  return (await awaitStoredInstance(folder)) as Instance
}

/** Creates the services for edges. Their modules are loaded only if used, to keep startup fast. */
async function openEdges({
  config: { databaseUrl, baseUrl, clickRetentionDays: retentionDays },
  edgeToken: token,
  ...options
}: Pick<Options, 'config' | 'clock' | 'log'> & {
  edgeToken: string
  instance: Instance
}): Promise<Edges> {
  const { createEdges } = await import('./edge/edges.ts')
  return createEdges({ databaseUrl, baseUrl, token, retentionDays, ...options })
}

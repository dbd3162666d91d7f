import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findBinaries } from './binaries.ts'
import { createCluster, inspectCluster, prepareCluster, readAccess } from './cluster.ts'
import { LockHeldError, secureDataFolder, withLock } from './data-folder.ts'
import { findPostmaster, type Postmaster, stopPostmaster } from './postmaster.ts'
import { chooseRunner } from './runner.ts'
import {
  hasNoConnections,
  isConnectionLost,
  joinServer,
  type KeepLog,
  keepConnected,
  type Presence,
} from './session.ts'
import { awaitServer, launchServer } from './start.ts'

const startTimeoutMs = 60_000

/**
 * Milliseconds to wait for the lock when stopping. If another process holds it longer, that process
 * is starting the server for its own use.
 */
const lockWaitMs = 2000

export type EmbeddedPostgres = {
  /** The `postgres://` URL of the database `brevis`, including the password. */
  url: string
  /** Whether this call started the server. False if it was already running. */
  started: boolean
  /** Restarts the server at the same port whenever it dies, until `stop` is called. */
  keepRunning(log: KeepLog): void
  /** Disables restarts, even while the server is starting. `stop` does this too. */
  disableRestart(): Promise<void>
  /**
   * Stops the server unless another process is connected. Close your own connections first. With
   * `onlyIfStarted`, does not stop a server that was already running. Later calls do nothing.
   */
  stop(options?: { onlyIfStarted?: boolean }): Promise<void>
}

type Options = {
  /** Receives a line about each slow step. */
  log?: (line: string) => void
  /** Receives a line about each problem the operator should fix. */
  warn?: (line: string) => void
  /**
   * Whether to return even if an existing server cannot be started now. `warn` then receives the
   * reason, and `keepRunning` starts the server at the same port once this is possible.
   */
  mayBeDown?: boolean
  /** PostgreSQL settings for a server that this call starts. They override all others. */
  settings?: Record<string, string>
}

/**
 * A server and our connection to it. `wasRunning` is false if we started the server. If the server
 * is down, the connection is already lost.
 */
type ServerConnection = { wasRunning: boolean; port: number; password: string; presence: Presence }

type ConnectOptions = {
  dataDir: string
  settings: Record<string, string>
  log?: Options['log']
  /** Whether to restart a known server with the same data and port. */
  isRestart?: boolean
  signal?: AbortSignal
}

/** Returns whether a data folder contains a cluster. Creates nothing. */
export async function hasCluster(dataDir: string): Promise<boolean> {
  return (await inspectCluster(join(dataDir, 'postgres'))) !== undefined
}

/**
 * Returns the PostgreSQL server of the data folder. Starts the server if it is not running, and
 * creates the cluster on the first call. The server is a separate process that survives this
 * process and its terminal until `stop` is called.
 *
 * @throws Error with the problem and its fix: no package for this platform, no way to run it as
 * root, data of another major version, or PostgreSQL's own error
 */
export async function startEmbedded(
  dataDir: string,
  { log, warn, mayBeDown = false, settings = {} }: Options = {},
): Promise<EmbeddedPostgres> {
  const folder = await secureDataFolder(dataDir, { embedded: true, warn })
  const lock = join(folder, 'postgres.lock')
  const stopController = new AbortController()
  const { signal } = stopController
  const starting = withLock(lock, () => connectOrStart({ dataDir: folder, settings, log }))
  const initialServer = await (mayBeDown
    ? starting.catch((error) => findStoppedServer(folder, error, warn))
    : starting)
  const { port, password } = initialServer
  let current = initialServer
  let keepingConnected: Promise<void> | undefined
  let stopped: Promise<void> | undefined

  async function reconnect(): Promise<Presence> {
    const isRestart = () => connectOrStart({ dataDir: folder, settings, isRestart: true, signal })
    const server = await withLock(lock, isRestart, { signal })
    if (server.port === port) {
      // If the server was restarted here, it is also stopped here.
      current = { ...server, wasRunning: server.wasRunning && current.wasRunning }
      return server.presence
    }
    await server.presence.leave()
    throw new Error(`The embedded PostgreSQL has moved to port ${server.port}: restart Brevis.`)
  }

  async function disableRestart(): Promise<void> {
    stopController.abort()
    await keepingConnected
  }

  async function stop(onlyIfStarted: boolean): Promise<void> {
    await disableRestart()
    const { presence, wasRunning } = current
    try {
      await withLock(lock, () => stopServer(), { waitMs: lockWaitMs })
    } catch (error) {
      if (!(error instanceof LockHeldError)) throw error
      await presence.leave()
    }

    async function stopServer(): Promise<void> {
      await presence.leave()
      if (onlyIfStarted && wasRunning) return
      const cluster = join(folder, 'postgres')
      const running = await findPostmaster(cluster)
      if (!running) return
      // A server in recovery has no connections, and recovery may take long.
      if (running.ready && !(await hasNoConnections({ port: running.port, password }))) return
      await stopPostmaster(running, cluster)
    }
  }

  return {
    url: `postgres://brevis:${password}@127.0.0.1:${port}/brevis`,
    started: !initialServer.wasRunning,
    keepRunning(log) {
      keepingConnected ??= keepConnected({
        presence: current.presence,
        rejoin: reconnect,
        signal,
        log,
      })
    },
    disableRestart,
    stop({ onlyIfStarted = false } = {}) {
      stopped ??= stop(onlyIfStarted)
      return stopped
    },
  }
}

/** Returns the server as it last ran, if it is down. Throws `error` if it has never run. */
async function findStoppedServer(
  folder: string,
  error: unknown,
  warn?: Options['warn'],
): Promise<ServerConnection> {
  const access = await readAccess(join(folder, 'postgres')).catch(() => undefined)
  if (!access?.port) throw error
  warn?.(error instanceof Error ? error.message : String(error))
  const presence = { lost: Promise.resolve(), leave: async () => {} }
  return { ...access, wasRunning: false, presence }
}

/**
 * Connects to the running server, or starts one. If a server is shutting down, the next attempt
 * detects it.
 */
async function connectOrStart(options: ConnectOptions): Promise<ServerConnection> {
  const { dataDir, signal } = options
  const cluster = join(dataDir, 'postgres')
  const deadline = Date.now() + startTimeoutMs
  for (;;) {
    signal?.throwIfAborted()
    const owner = await inspectCluster(cluster)
    const wasRunning = owner === undefined ? undefined : await awaitServer(cluster, signal)
    const server = wasRunning ?? (await start(options, owner))
    try {
      const { password } = await readAccess(cluster)
      const presence = await joinServer({ port: server.port, password }, signal)
      return { wasRunning: wasRunning !== undefined, port: server.port, password, presence }
    } catch (error) {
      if (!wasRunning) await stopPostmaster(server, cluster)
      if (!wasRunning || !isConnectionLost(error) || Date.now() > deadline) throw error
      await sleep(50)
    }
  }
}

async function start(
  { dataDir, settings, log, isRestart = false, signal }: ConnectOptions,
  owner: number | undefined,
): Promise<Postmaster> {
  const cluster = join(dataDir, 'postgres')
  if (isRestart && owner === undefined) throw new Error(`The embedded database ${cluster} is gone.`)
  const binaries = await findBinaries()
  const runner = await chooseRunner(binaries, dataDir, owner)
  if (owner === undefined) {
    log?.(`creating the embedded PostgreSQL database in ${cluster}`)
    await createCluster(binaries, runner, dataDir, { durable: settings.fsync !== 'off' })
  }
  await prepareCluster(binaries, runner, cluster)
  log?.('starting the embedded PostgreSQL')
  return launchServer(binaries, runner, cluster, {
    log: join(dataDir, 'postgres.log'),
    settings,
    keepPort: isRestart,
    signal,
  })
}

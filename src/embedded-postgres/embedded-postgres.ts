import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findBinaries } from './binaries.ts'
import { createCluster, inspectCluster, prepareCluster, readAccess } from './cluster.ts'
import { secureDataFolder } from './data-folder.ts'
import { type KeepLog, keepJoined } from './keep-joined.ts'
import { LockHeld, withLock } from './lock.ts'
import { findPostmaster, type Postmaster, stopPostmaster } from './postmaster.ts'
import { chooseRunner } from './runner.ts'
import { isAlone, isLost, joinServer, type Presence } from './session.ts'
import { awaitServer, launchServer } from './start.ts'

const obtainMs = 60_000

/** Whoever holds the lock for longer than this at the end is starting the server for itself. */
const leaveMs = 2000

export type EmbeddedPostgres = {
  /** A `postgres://` address of the database `brevis`, with its password. */
  url: string
  /** This call started the server, as opposed to finding it running. */
  started: boolean
  /** Has the server started again at the same address whenever it dies, until `stop`. */
  keepRunning(log: KeepLog): void
  /** Ends that, also in the middle of a start. `stop` does so as well. */
  letDie(): Promise<void>
  /**
   * Stops the server, unless somebody else is connected; close your own connections first. With
   * `onlyIfStarted` a server that was found running is left alone. Later calls do nothing.
   */
  stop(options?: { onlyIfStarted?: boolean }): Promise<void>
}

type Options = {
  /** Told in one line what takes time. */
  log?: (line: string) => void
  /** Told in one line what the operator should see to. */
  warn?: (line: string) => void
  /**
   * Returns also if an existing server cannot be started now: `warn` is told why, and `keepRunning` starts
   * it at the same address once that works.
   */
  mayBeDown?: boolean
  /** PostgreSQL settings for a server that this call starts; they win over all others. */
  settings?: Record<string, string>
}

/** The server, running and joined. */
type Joined = { found: boolean; port: number; password: string; presence: Presence }

type Obtain = {
  dataDir: string
  settings: Record<string, string>
  log?: Options['log']
  /** Looks after a server that was there: it keeps its data and its port. */
  again?: boolean
  signal?: AbortSignal
}

/**
 * Gives the PostgreSQL server of the data folder: the running one if there is one, whoever
 * started it, else one that is started here, creating the cluster at the first call. The server
 * is a process of its own that survives this one and its terminal until `stop`.
 *
 * @throws Error saying what is wrong and what to do: no package for this platform, no way to run
 *   it as root, another major version's data, or PostgreSQL's own last words.
 */
export async function startEmbedded(
  dataDir: string,
  { log, warn, mayBeDown = false, settings = {} }: Options = {},
): Promise<EmbeddedPostgres> {
  const folder = await secureDataFolder(dataDir, { embedded: true, warn })
  const lock = join(folder, 'postgres.lock')
  const stopping = new AbortController()
  const { signal } = stopping
  const starting = withLock(lock, () => obtain({ dataDir: folder, settings, log }))
  const started = await (mayBeDown
    ? starting.catch((error) => asDown(folder, error, warn))
    : starting)
  const { port, password } = started
  let joined = started
  let keeping: Promise<void> | undefined
  let stopped: Promise<void> | undefined

  async function rejoin(): Promise<Presence> {
    const again = () => obtain({ dataDir: folder, settings, again: true, signal })
    const server = await withLock(lock, again, { signal })
    if (server.port === port) {
      // Once it was started here, it is this one's to stop.
      joined = { ...server, found: server.found && joined.found }
      return server.presence
    }
    await server.presence.leave()
    throw new Error(`The embedded PostgreSQL has moved to port ${server.port}: start this again.`)
  }

  async function letDie(): Promise<void> {
    stopping.abort()
    await keeping
  }

  async function stop(onlyIfStarted: boolean): Promise<void> {
    await letDie()
    const { presence, found } = joined
    try {
      await withLock(lock, () => stopServer(), { waitMs: leaveMs })
    } catch (error) {
      if (!(error instanceof LockHeld)) throw error
      await presence.leave()
    }

    async function stopServer(): Promise<void> {
      await presence.leave()
      if (onlyIfStarted && found) return
      const cluster = join(folder, 'postgres')
      const running = await findPostmaster(cluster)
      if (!running) return
      // Nobody is connected to one that is still recovering, and that may take long.
      if (running.ready && !(await isAlone({ port: running.port, password }))) return
      await stopPostmaster(running, cluster)
    }
  }

  return {
    url: `postgres://brevis:${password}@127.0.0.1:${port}/brevis`,
    started: !started.found,
    keepRunning(log) {
      keeping ??= keepJoined({ presence: joined.presence, rejoin, signal, log })
    },
    letDie,
    stop({ onlyIfStarted = false } = {}) {
      stopped ??= stop(onlyIfStarted)
      return stopped
    },
  }
}

/** The server as it last ran, lost before it was joined. Throws `error` if it has never run. */
async function asDown(folder: string, error: unknown, warn?: Options['warn']): Promise<Joined> {
  const access = await readAccess(join(folder, 'postgres')).catch(() => undefined)
  if (!access?.port) throw error
  warn?.(error instanceof Error ? error.message : String(error))
  const presence = { lost: Promise.resolve(), leave: async () => {} }
  return { ...access, found: false, presence }
}

/** The server, running and joined. One that was found may be dying; then the next look tells. */
async function obtain(options: Obtain): Promise<Joined> {
  const { dataDir, signal } = options
  const cluster = join(dataDir, 'postgres')
  const deadline = Date.now() + obtainMs
  for (;;) {
    signal?.throwIfAborted()
    const owner = await inspectCluster(cluster)
    const found = owner === undefined ? undefined : await awaitServer(cluster, signal)
    const server = found ?? (await start(options, owner))
    try {
      const { password } = await readAccess(cluster)
      const presence = await joinServer({ port: server.port, password }, signal)
      return { found: found !== undefined, port: server.port, password, presence }
    } catch (error) {
      if (!found) await stopPostmaster(server, cluster)
      if (!found || !isLost(error) || Date.now() > deadline) throw error
      await sleep(50)
    }
  }
}

async function start(
  { dataDir, settings, log, again = false, signal }: Obtain,
  owner: number | undefined,
): Promise<Postmaster> {
  const cluster = join(dataDir, 'postgres')
  if (again && owner === undefined) throw new Error(`The embedded database ${cluster} is gone.`)
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
    keepPort: again,
    signal,
  })
}

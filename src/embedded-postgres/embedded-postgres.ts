import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findBinaries } from './binaries.ts'
import { createCluster, inspectCluster, prepareCluster, readAccess } from './cluster.ts'
import { withLock } from './lock.ts'
import { findPostmaster, type Postmaster, stopPostmaster } from './postmaster.ts'
import { chooseRunner } from './runner.ts'
import { isAlone, isLost, joinServer } from './session.ts'
import { awaitServer, launchServer } from './start.ts'

const obtainMs = 60_000

export type EmbeddedPostgres = {
  /** A `postgres://` address of the database `brevis`, with its password. */
  url: string
  /** This call started the server, as opposed to finding it running. */
  started: boolean
  /**
   * Stops the server, unless somebody else is connected; close your own connections first. With
   * `onlyIfStarted` a server that was found running is left alone. Later calls do nothing.
   */
  stop(options?: { onlyIfStarted?: boolean }): Promise<void>
}

type Options = {
  /** Told in one line what takes time. */
  log?: (line: string) => void
  /** PostgreSQL settings for a server that this call starts; they win over all others. */
  settings?: Record<string, string>
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
  { log, settings = {} }: Options = {},
): Promise<EmbeddedPostgres> {
  await mkdir(dataDir, { recursive: true })
  const folder = await realpath(dataDir)
  const cluster = join(folder, 'postgres')
  const lock = join(folder, 'postgres.lock')

  return withLock(lock, async () => {
    const { found, port, password, presence } = await obtain(folder, settings, log)

    let stopped: Promise<void> | undefined
    return {
      url: `postgres://brevis:${password}@127.0.0.1:${port}/brevis`,
      started: !found,
      stop({ onlyIfStarted = false } = {}) {
        stopped ??= withLock(lock, async () => {
          await presence.leave()
          if (onlyIfStarted && found) return
          const running = await findPostmaster(cluster)
          if (!running || !(await isAlone({ port: running.port, password }))) return
          await stopPostmaster(running, cluster)
        })
        return stopped
      },
    }
  })
}

/** The server, running and joined. One that was found may be dying; then the next look tells. */
async function obtain(dataDir: string, settings: Record<string, string>, log: Options['log']) {
  const cluster = join(dataDir, 'postgres')
  const deadline = Date.now() + obtainMs
  for (;;) {
    const owner = await inspectCluster(cluster)
    const found = owner === undefined ? undefined : await awaitServer(cluster)
    const server = found ?? (await start(dataDir, owner, settings, log))
    try {
      const { password } = await readAccess(cluster)
      const presence = await joinServer({ port: server.port, password })
      return { found: found !== undefined, port: server.port, password, presence }
    } catch (error) {
      if (!found) await stopPostmaster(server, cluster)
      if (!found || !isLost(error) || Date.now() > deadline) throw error
      await sleep(50)
    }
  }
}

async function start(
  dataDir: string,
  owner: number | undefined,
  settings: Record<string, string>,
  log: Options['log'],
): Promise<Postmaster> {
  const cluster = join(dataDir, 'postgres')
  const binaries = await findBinaries()
  const runner = await chooseRunner(binaries, dataDir, owner)
  if (owner === undefined) {
    log?.(`creating the embedded PostgreSQL database in ${cluster}`)
    await createCluster(binaries, runner, dataDir, { durable: settings.fsync !== 'off' })
  }
  await prepareCluster(binaries, runner, cluster)
  log?.('starting the embedded PostgreSQL')
  return launchServer(binaries, runner, cluster, join(dataDir, 'postgres.log'), settings)
}

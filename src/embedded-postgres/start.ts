import type { ChildProcess } from 'node:child_process'
import { open, readFile, rename, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Binaries } from './binaries.ts'
import { readAccess, writeAccess } from './cluster.ts'
import { findPostmaster, type Postmaster, readStalePid } from './postmaster.ts'
import type { Runner } from './runner.ts'

const READY_TIMEOUT_MS = 60_000
const MAX_LOG_BYTES = 10 * 1024 * 1024

/** Failures that another process may cause. They disappear after a moment, or on another port. */
const transientErrors =
  /Address already in use|pre-existing shared memory block|"postmaster\.pid" already/

/** Does not use `env`, because it would treat a path with an equals sign as a variable. */
const WITH_STALE_PID = 'PG_GRANDPARENT_PID="$1"; export PG_GRANDPARENT_PID; shift; exec "$@"'

type LaunchOptions = {
  /** The path of the server's log file. */
  log: string
  settings: Record<string, string>
  /** Whether to fail if the cluster's last port is taken, instead of selecting another one. */
  keepPort?: boolean
  /** Aborts the start, and stops the server if it is not ready. */
  signal?: AbortSignal | undefined
}

type Launch = { child: ChildProcess; log: string; offset: number; failure?: Error }

/**
 * Starts the server on `cluster`. Waits up to a minute, including crash recovery, until it accepts
 * connections.
 *
 * @throws Error with the last lines of its log if the server ends or the minute is over, or the
 * reason of `signal`
 */
export async function launchServer(
  { postgres }: Binaries,
  runner: Runner,
  cluster: string,
  { log, settings, keepPort = false, signal }: LaunchOptions,
): Promise<Postmaster> {
  const deadline = Date.now() + READY_TIMEOUT_MS
  for (;;) {
    signal?.throwIfAborted()
    const access = await readAccess(cluster)
    const port = await (keepPort ? requirePort(access.port) : choosePort(access.port))
    if (port !== access.port) await writeAccess(cluster, runner, { ...access, port })
    // If a program has the pid in a stale lock file, PostgreSQL would mistake it for a server and
    // refuse to start. In containers, where pids repeat, this could last forever. Such a pid is
    // therefore passed in the same way in which pg_ctl passes its own.
    const stalePid = String(await readStalePid(cluster))
    const launch = await spawnServer(runner, '/bin/sh', log, [
      '-c',
      WITH_STALE_PID,
      'sh',
      stalePid,
      postgres,
      '-D',
      cluster,
      ...toArguments({
        ...settings,
        port: String(port),
        listen_addresses: '127.0.0.1',
        unix_socket_directories: '',
      }),
    ])
    const server = await awaitReady(cluster, { deadline, launch, signal })
    if (server) return server
    const lines = await readLastLines(launch)
    if (Date.now() > deadline || !transientErrors.test(lines)) {
      throw new Error(`The embedded PostgreSQL did not start:\n${lines}`)
    }
    await sleep(200)
  }
}

/**
 * Waits until an existing server accepts connections. Returns undefined if it has ended.
 *
 * @throws Error if this takes more than a minute
 */
export async function awaitServer(
  cluster: string,
  signal?: AbortSignal,
): Promise<Postmaster | undefined> {
  return awaitReady(cluster, { deadline: Date.now() + READY_TIMEOUT_MS, signal })
}

async function awaitReady(
  cluster: string,
  {
    deadline,
    launch,
    signal,
  }: { deadline: number; launch?: Launch; signal?: AbortSignal | undefined },
): Promise<Postmaster | undefined> {
  for (;;) {
    if (signal?.aborted) {
      if (launch) await discardLaunch(launch)
      throw signal.reason
    }
    const ended = launch ? hasEnded(launch) : true
    const server = await findPostmaster(cluster)
    if (server?.ready) return server
    if (!server && ended) return
    if (Date.now() > deadline) {
      throw new Error('The embedded PostgreSQL is not ready after a minute; see its postgres.log.')
    }
    await sleep(20)
  }
}

/** Stops a server that has not been used yet. The next one starts from the same state. */
async function discardLaunch(launch: Launch): Promise<void> {
  launch.child.kill('SIGQUIT')
  while (!hasEnded(launch)) await sleep(20)
}

function hasEnded({ child, failure }: Launch): boolean {
  return failure !== undefined || child.exitCode !== null || child.signalCode !== null
}

async function spawnServer(
  runner: Runner,
  program: string,
  log: string,
  args: string[],
): Promise<Launch> {
  await rotateLog(log)
  const output = await open(log, 'a', 0o600)
  try {
    const { size } = await output.stat()
    const child = runner.start(program, args, output.fd)
    const launch: Launch = { child, log, offset: size }
    child.once('error', (error) => {
      launch.failure = error
    })
    child.unref()
    return launch
  } finally {
    await output.close()
  }
}

function toArguments(settings: Record<string, string>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/**
 * Returns the requested port if it is free. Otherwise, or if 0 is requested, returns one selected
 * by the system.
 */
async function choosePort(requested: number): Promise<number> {
  return (await findFreePort(requested)) ?? (await findFreePort(0)) ?? requested
}

/** Returns the requested port, at which other processes know the server. Throws if it is taken. */
async function requirePort(requested: number): Promise<number> {
  if ((await findFreePort(requested)) === requested) return requested
  throw new Error(`The port of the embedded PostgreSQL, ${requested}, is taken by another program.`)
}

async function findFreePort(port: number): Promise<number | undefined> {
  const server = createServer()
  const { promise, resolve } = Promise.withResolvers<number | undefined>()
  server.once('error', () => resolve(undefined))
  server.listen(port, '127.0.0.1', () => {
    const address = server.address()
    const found = typeof address === 'object' && address ? address.port : undefined
    server.close(() => resolve(found))
  })
  return promise
}

async function rotateLog(log: string): Promise<void> {
  const size = await stat(log).then(
    (found) => found.size,
    () => 0,
  )
  if (size > MAX_LOG_BYTES) await rename(log, `${log}.1`)
}

async function readLastLines({ log, offset, failure }: Launch): Promise<string> {
  const output = (await readFile(log)).subarray(offset).toString('utf8').trim()
  return output.split('\n').slice(-10).join('\n') || failure?.message || `nothing in ${log}`
}

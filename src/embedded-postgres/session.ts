import { once } from 'node:events'
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, DatabaseError } from 'pg'

type ServerAddress = { port: number; password: string }

/** A connection that shows other processes that the server is in use. */
export type Presence = {
  /** Resolves when the connection ends, whatever the reason. */
  lost: Promise<void>
  leave(): Promise<void>
}

const READY_TIMEOUT_MS = 60_000

/** Milliseconds for which PostgreSQL may still list closed connections. */
const LINGER_MS = 1_000

/** Milliseconds after which a server that does not respond counts as in use. */
const QUERY_TIMEOUT_MS = 2_000

/**
 * Connects to the server and stays connected, so that other processes notice that it is in use.
 * Creates the database `brevis` if necessary. The connection does not keep the process alive.
 */
export async function joinServer(address: ServerAddress, signal?: AbortSignal): Promise<Presence> {
  const { client, socket } = await connect(address, signal)
  const lost = new Promise<void>((resolve) => client.once('end', resolve))
  try {
    const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = 'brevis'")
    if (rowCount === 0) await client.query('CREATE DATABASE brevis')
  } catch (error) {
    await client.end()
    throw error
  }
  socket.unref()
  return {
    lost,
    async leave() {
      socket.ref()
      await client.end().catch(() => undefined)
    },
  }
}

/**
 * Returns whether an error means that the server went away. Otherwise, the server responded with an
 * error.
 */
export function isConnectionLost(error: unknown): boolean {
  // The error codes of a server that is shutting down, starting or crashed.
  if (error instanceof DatabaseError) return error.code?.startsWith('57P') ?? false
  return error instanceof Error && ('code' in error || error.message.startsWith('Connection term'))
}

/**
 * Returns whether the server has no connections. A server that cannot be queried counts as in use.
 */
export async function hasNoConnections(address: ServerAddress): Promise<boolean> {
  let client: Client | undefined
  try {
    client = (await connect(address, AbortSignal.timeout(QUERY_TIMEOUT_MS))).client
    const deadline = Date.now() + LINGER_MS
    while (await hasOtherConnections(client)) {
      if (Date.now() > deadline) return false
      await sleep(20)
    }
    return true
  } catch {
    return false
  } finally {
    await client?.end().catch(() => undefined)
  }
}

async function hasOtherConnections(client: Client): Promise<boolean> {
  const { rowCount } = await client.query(
    `SELECT FROM pg_stat_activity
     WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
  )
  return rowCount !== 0
}

/** Connects to the server. After a backend has crashed, waits up to a minute for the recovery. */
async function connect(
  address: ServerAddress,
  signal?: AbortSignal,
): Promise<{ client: Client; socket: Socket }> {
  const deadline = Date.now() + READY_TIMEOUT_MS
  for (;;) {
    signal?.throwIfAborted()
    const socket = new Socket()
    const client = createClient(address, socket)
    try {
      await client.connect()
      return { client, socket }
    } catch (error) {
      socket.destroy()
      if (!isStartingUp(error) || Date.now() > deadline) throw error
      await sleep(50)
    }
  }
}

function isStartingUp(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '57P03'
}

function createClient({ port, password }: ServerAddress, socket: Socket): Client {
  const client = new Client({
    host: '127.0.0.1',
    port,
    user: 'brevis',
    password,
    // Does not use `brevis`, which could not be dropped or used as a template while connected.
    database: 'postgres',
    application_name: 'brevis presence',
    ssl: false,
    connectionTimeoutMillis: 10_000,
    stream: () => socket,
  })
  // Without a listener, losing an idle connection would end the process.
  client.on('error', () => undefined)
  return client
}

const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 5000

export type KeepLog = Record<'info' | 'error', (line: string) => void>

type Options = {
  presence: Presence
  /** Finds or restarts the server and connects to it. */
  rejoin: () => Promise<Presence>
  signal: AbortSignal
  log: KeepLog
}

/**
 * Reconnects to a server whenever the connection is lost. Retries with growing pauses, because it
 * may take hours until a full disk has free space again. Ends when `signal` aborts.
 */
export async function keepConnected({ presence, rejoin, signal, log }: Options): Promise<void> {
  const stopped = signal.aborted ? Promise.resolve() : once(signal, 'abort')
  let current = presence
  for (;;) {
    await Promise.race([current.lost, stopped])
    if (signal.aborted) return
    log.error('the connection to the embedded PostgreSQL was lost')
    const reconnected = await reconnect({ rejoin, signal, log })
    if (!reconnected) return
    current = reconnected
    log.info('the embedded PostgreSQL is available again')
  }
}

/** Reconnects. Returns undefined if `signal` aborts first. */
async function reconnect({
  rejoin,
  signal,
  log,
}: Omit<Options, 'presence'>): Promise<Presence | undefined> {
  let lastReason = ''
  for (let pause = FIRST_PAUSE_MS; !signal.aborted; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
    try {
      return await rejoin()
    } catch (error) {
      if (signal.aborted) return
      const message = error instanceof Error ? error.message : String(error)
      // PostgreSQL's messages contain the time and the pid.
      const reason = message.replaceAll(/\d+/g, '')
      if (reason !== lastReason) log.error(message)
      lastReason = reason
      await sleep(pause, undefined, { signal }).catch(() => {})
    }
  }
  return
}

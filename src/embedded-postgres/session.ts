import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, DatabaseError } from 'pg'

type Address = { port: number; password: string }

export type Presence = {
  /** Resolves when the connection has ended, whoever ended it. */
  lost: Promise<void>
  leave(): Promise<void>
}

const readyMs = 60_000

/** Connections that were closed a moment ago are still listed for as long as this. */
const lingerMs = 1_000

/** A server that takes longer to answer is busy with somebody or something. */
const askMs = 2_000

/**
 * Connects to the server and stays connected, so that others see that it is in use; creates the
 * database `brevis` when it is not there. The connection does not keep the process alive.
 */
export async function joinServer(address: Address, signal?: AbortSignal): Promise<Presence> {
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

/** Whether a failed call means that the server went away, rather than that it answered no. */
export function isLost(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.code?.startsWith('57P') ?? false
  return error instanceof Error && ('code' in error || error.message.startsWith('Connection term'))
}

/** Whether nobody is connected to the server; a server that cannot be asked counts as in use. */
export async function isAlone(address: Address): Promise<boolean> {
  let client: Client | undefined
  try {
    client = (await connect(address, AbortSignal.timeout(askMs))).client
    const deadline = Date.now() + lingerMs
    while (await hasOthers(client)) {
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

async function hasOthers(client: Client): Promise<boolean> {
  const { rowCount } = await client.query(
    `SELECT FROM pg_stat_activity
     WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
  )
  return rowCount !== 0
}

/** A server that lost a backend to a crash recovers first: that is awaited for a minute. */
async function connect(
  address: Address,
  signal?: AbortSignal,
): Promise<{ client: Client; socket: Socket }> {
  const deadline = Date.now() + readyMs
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

function createClient({ port, password }: Address, socket: Socket): Client {
  const client = new Client({
    host: '127.0.0.1',
    port,
    user: 'brevis',
    password,
    // Not `brevis`, which could then be neither dropped nor used as a template.
    database: 'postgres',
    application_name: 'brevis presence',
    ssl: false,
    connectionTimeoutMillis: 10_000,
    stream: () => socket,
  })
  // Without a listener the loss of an idle connection would end the process.
  client.on('error', () => undefined)
  return client
}

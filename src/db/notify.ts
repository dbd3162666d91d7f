import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { textArray } from './arrays.ts'
import { type Client, destroyConnection, openClient } from './client.ts'
import { awaitEcho, echoItself } from './echo.ts'
import { CHANGES_CHANNEL, CLICKS_CHANNEL, listen } from './listen.queries.ts'
import type { Db } from './pool.ts'

/** A change that causes all processes to invalidate caches. */
export type Change =
  | { kind: 'link'; domainId: number | null; alias: string }
  /** `id` is set if the domain's links are affected too. */
  | { kind: 'domain'; host: string; id?: number }
  | { kind: 'keys' }
  /** An account was suspended or resumed, or its names of robots changed. */
  | { kind: 'account'; id: number }
  /** An account's webhook subscriptions changed. */
  | { kind: 'webhooks'; accountId: number }
  /** A host was blocked or unblocked. */
  | { kind: 'blocked-host'; host: string }
  | SharedResource

/** A resource that several links can share. */
export type SharedResource = { kind: 'pixel' | 'splash' | 'overlay'; id: number }

/** Imported clicks of an account as a flat list: the link, visitor and Unix time of each click. */
export type PublishedClicks = { accountId: number; clicks: readonly number[] }

export type Subscription = {
  /** Whether notifications are currently received. */
  readonly connected: boolean
  /** Resolves when the first attempt to connect has succeeded or failed. */
  readonly attempted: Promise<void>
  close(): Promise<void>
}

type SubscribeOptions = {
  url: string
  /** Other connections to the same database, to check that notifications arrive. */
  db: Db
  onChange: (change: Change) => void
  onClicks?: (published: PublishedClicks) => void
  /** Called when the connection is lost. Changes may be missed until `onRestored` is called. */
  onLost: () => void
  onRestored: () => void
  log?: (message: string) => void
}

const TIMEOUT_MS = 1500
const ECHO_TIMEOUT_MS = 3000
const RETRY_MS = 250
const PING_MS = 2000

/**
 * Notifies all processes of changes. Must be called in the transaction that makes the changes,
 * because notifications are sent when it commits.
 */
export async function notify(db: Db, changes: readonly Change[]): Promise<void> {
  await sendNotifications(db, changes.map(toJson))
}

/**
 * Publishes clicks to all processes when the transaction commits. Each entry may take up to 8,000
 * bytes as JSON.
 */
export async function publish(db: Db, clicks: readonly PublishedClicks[]): Promise<void> {
  await sendNotifications(db, clicks.map(toJson), CLICKS_CHANNEL)
}

function toJson(value: unknown): string {
  return JSON.stringify(value)
}

/**
 * Calls `onChange` for each `notify` and `onClicks` for each `publish`. Uses a separate connection,
 * which is reopened when it breaks.
 */
export function subscribe({
  url,
  db,
  onChange,
  onClicks,
  onLost,
  onRestored,
  log,
}: SubscribeOptions): Subscription {
  let client: Client | undefined
  let connected = false
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  let isDeaf = false
  const ownChannel = `brevis_ping_${randomBytes(8).toString('hex')}`
  const attempted = Promise.withResolvers<void>()

  const connect = async () => {
    const limits = { connectTimeout: TIMEOUT_MS, queryTimeout: TIMEOUT_MS }
    let newClient: Client
    try {
      newClient = openClient({ url, name: 'listen', ...limits })
    } catch {
      // A certificate that the URL names is missing.
      retryLater()
      return
    }
    client = newClient
    newClient.on('error', () => handleLoss(newClient))
    newClient.on('end', () => handleLoss(newClient))
    newClient.on('notification', ({ channel, payload = '' }) => {
      try {
        if (channel === CLICKS_CHANNEL) onClicks?.(JSON.parse(payload) as PublishedClicks)
        else if (channel === CHANGES_CHANNEL) onChange(JSON.parse(payload) as Change)
      } catch {
        // Anybody who can use the database can send such a notification.
        if (connected) onRestored()
      }
    })
    try {
      await newClient.connect()
      await listen(newClient)
      if (onClicks) await listen(newClient, CLICKS_CHANNEL)
      await listen(newClient, ownChannel)
      const send = (channel: string) => sendNotifications(db, [''], channel)
      requireEcho(await awaitEcho(newClient, send, ECHO_TIMEOUT_MS))
    } catch {
      handleLoss(newClient)
      return
    }
    if (client !== newClient) return
    connected = true
    isDeaf = false
    attempted.resolve()
    onRestored()
    pingLater(newClient)
  }

  const retryLater = () => {
    attempted.resolve()
    if (isClosed) return
    timer = setTimeout(() => void connect(), RETRY_MS)
  }

  const requireEcho = (isReceived: boolean) => {
    if (isReceived) return
    if (!isDeaf) log?.('notifications of changes do not arrive: is there a connection pooler?')
    isDeaf = true
    throw new Error('a notification did not arrive')
  }

  // Pings regularly, because a connection looks open even after its peer vanishes. A ping is a
  // notification to itself, because only an echo proves that notifications arrive.
  const pingLater = (current: Client) => {
    timer = setTimeout(() => {
      echoItself(current, ownChannel, TIMEOUT_MS)
        .then(requireEcho)
        .then(
          () => pingLater(current),
          () => handleLoss(current),
        )
    }, PING_MS)
    timer.unref()
  }

  const handleLoss = (lostClient: Client) => {
    if (client !== lostClient) return
    client = undefined
    clearTimeout(timer)
    if (connected) log?.('the connection for notifications of changes was lost')
    connected = false
    onLost()
    destroyConnection(lostClient)
    retryLater()
  }

  void connect()
  return {
    get connected() {
      return connected
    },
    attempted: attempted.promise,
    async close() {
      isClosed = true
      attempted.resolve()
      clearTimeout(timer)
      const current = client
      client = undefined
      // A frozen server would never process a terminate message.
      if (current) destroyConnection(current)
    },
  }
}

/** Notifies all listeners when the transaction commits. */
async function sendNotifications(
  db: Db,
  payloads: readonly string[],
  channel = CHANGES_CHANNEL,
): Promise<void> {
  if (payloads.length === 0) return
  await sql`
    select pg_notify(${channel}, payload)
    from unnest(${textArray(payloads)}::text[]) payload`.execute(db)
}

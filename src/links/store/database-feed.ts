import type pg from 'pg'
import { type ClientOptions, connect, destroyConnection, openClient } from '../../db/client.ts'
import { isReadOnlyError } from '../../db/connection-error.ts'
import { listen } from '../../db/listen.queries.ts'
import { readEntries, readNextEntries } from './entries.queries.ts'
import { pruneChanges, readChangedIds, readSource } from './feed.queries.ts'
import type { Changes, OpenFeed, Position, Replacement } from './feed.ts'

/** Milliseconds between two reads. Changes with a notification are read immediately. */
const POLL_MS = 150
const LIMITS: Pick<ClientOptions, 'connectTimeout' | 'queryTimeout'> = {
  connectTimeout: 1500,
  queryTimeout: 10_000,
}

/** Creates the function that opens a feed of a database, using a separate connection. */
export function createDatabaseFeedOpener(url: string, name = 'follower'): OpenFeed {
  return async (signal) => {
    const client = openClient({ url, name, ...LIMITS })
    const wakeUp = createWakeUp()
    client.on('notification', wakeUp.notify)
    client.on('end', wakeUp.notify)
    // Without this, a frozen server would delay the shutdown until the query times out.
    const disconnect = () => destroyConnection(client)
    signal.addEventListener('abort', disconnect)
    const close = () => {
      signal.removeEventListener('abort', disconnect)
      disconnect()
    }
    try {
      await connect(client, url)
      // A replica rejects it. Its changes are found by polling.
      await unlessReadOnly(listen(client), undefined)
      return {
        source: await readSource(client),
        readNextEntries: (kind, page) => readNextEntries(client, kind, page),
        readChanges: (since) => readChanges(client, since),
        prune: () => unlessReadOnly(pruneChanges(client), false),
        wait: () => wakeUp.wait(POLL_MS),
        close,
      }
    } catch (error) {
      close()
      throw error
    }
  }
}

/** Returns the result of a statement, or `otherwise` if the database is read-only. */
function unlessReadOnly<T>(statement: Promise<T>, otherwise: T): Promise<T> {
  return statement.catch((error: unknown) => {
    if (isReadOnlyError(error)) return otherwise
    throw error
  })
}

/**
 * Returns the next changed entries. They are read after their ids, so repeated and reordered
 * changes do not matter: an entry that has changed again is read again.
 */
async function readChanges(client: pg.ClientBase, since: Position): Promise<Changes> {
  const { position, ids: changed } = await readChangedIds(client, since)
  const replacements: Replacement[] = []
  for (const [kind, ids] of changed) {
    replacements.push({ kind, ids, entries: await readEntries(client, kind, ids) })
  }
  return { position, replacements }
}

/** Creates a signal that ends a wait, even if the signal came before the wait. */
function createWakeUp() {
  let isNotified = false
  let wake = () => {}

  function notify(): void {
    isNotified = true
    wake()
  }

  async function wait(ms: number): Promise<void> {
    if (!isNotified) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    isNotified = false
  }

  return { notify, wait }
}

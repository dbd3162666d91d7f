import { createHash, timingSafeEqual } from 'node:crypto'
import { createReceivedClicks } from '../clicks/import.ts'
import type { Clock } from '../clock.ts'
import { ORDERED_WRITES } from '../db/client.ts'
import { getInstallationId } from '../db/installation-id.ts'
import type { Instance } from '../db/instance.ts'
import type { Kind } from '../db/local-store.ts'
import { openDatabase } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import { notifyOfClicks } from '../importer/notify-of-clicks.ts'
import { createDatabaseFeedOpener } from '../links/store/database-feed.ts'
import {
  type Changes,
  ChangesPrunedError,
  type OpenFeed,
  type SourceState,
  type StoreFeed,
} from '../links/store/feed.ts'
import { FORMAT } from '../links/store/store-file.ts'
import { version } from '../version.ts'

export type Edges = ReturnType<typeof createEdges>

/** An edge's request for links. `format` is the format of its link store. */
export type FeedRequest = { format: string; baseUrl?: string }

type Options = {
  databaseUrl: string
  baseUrl: string
  /** The token of the edges. */
  token: string
  instance: Instance
  clock: Clock
  retentionDays: number
  log: (fields: Record<string, unknown>, message: string) => void
}

/** A batch takes several seconds on a busy database. */
const QUERY_TIMEOUT_MS = 60_000

/**
 * Creates the services of the main installation for its edges: the feed of links and the receiver
 * of clicks.
 */
export function createEdges({
  databaseUrl: url,
  baseUrl,
  token,
  instance,
  clock,
  retentionDays,
  log,
}: Options) {
  const expectedDigest = digest(token)
  const feed = createFeedServer(createDatabaseFeedOpener(url, 'edges'))
  // Uses separate connections, so that counting does not delay requests.
  const database = openDatabase({
    url,
    name: 'edges',
    max: 2,
    queryTimeout: QUERY_TIMEOUT_MS,
    settings: ORDERED_WRITES,
    onError: (error) => log({ reason: error.message }, 'an idle database connection broke'),
  })
  database.requireInstance(instance)
  const clicks = createReceivedClicks({
    db: database,
    clock,
    retentionDays,
    onClicks: notifyOfClicks,
  })

  return {
    feed,
    clicks,

    /**
     * Rejects an edge if its link store has another format or its base URL differs.
     *
     * @throws AppError `edge_differs`
     */
    requireSameProgram({ format, baseUrl: edgeUrl = baseUrl }: FeedRequest): void {
      if (format !== FORMAT) {
        throw new AppError('edge_differs', { text: 'rejections.edge_version', args: { version } })
      }
      if (edgeUrl !== baseUrl)
        throw new AppError('edge_differs', {
          text: 'rejections.edge_base_url',
          args: { url: baseUrl },
        })
    },

    /**
     * Rejects clicks that belong to another installation, for example because the database was
     * replaced. An edge of an earlier version does not name its installation.
     *
     * @throws AppError `edge_differs`
     */
    requireSameInstallation(
      { installation }: { installation?: string },
      { token: ownToken }: Pick<Instance, 'token'>,
    ): void {
      const id = getInstallationId(ownToken)
      if (installation === undefined || installation === id) return
      throw new AppError('edge_differs', {
        text: 'rejections.edge_installation',
        args: { theirs: installation, ours: id },
      })
    },

    /** Returns whether this is the token of the edges. Compares in constant time. */
    isValidToken: (token: string): boolean => timingSafeEqual(digest(token), expectedDigest),
    async close(): Promise<void> {
      feed.close()
      await database.close()
    },
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Milliseconds for which a request waits for changes. */
const WAIT_MS = 1000

/**
 * Serves a feed to the edges. They share one connection, which is opened on demand and used only
 * while reading.
 */
function createFeedServer(openFeed: OpenFeed) {
  const closing = new AbortController()
  let feed: StoreFeed | undefined
  let queue: Promise<unknown> = Promise.resolve()

  /** Runs `work` with the shared connection, after all previous work has ended. */
  function runInTurn<T>(work: (feed: StoreFeed) => Promise<T>): Promise<T> {
    const result = queue.then(async () => {
      try {
        feed ??= await openFeed(closing.signal)
        return await work(feed)
      } catch (error) {
        // The connection may be in an open transaction.
        feed?.close()
        feed = undefined
        throw error
      }
    })
    queue = result.catch(() => {})
    return result
  }

  return {
    /** Returns the source with its current position. */
    async readSource(): Promise<SourceState> {
      const openedFeed = await openFeed(closing.signal)
      openedFeed.close()
      return openedFeed.source
    },

    readNextEntries: (kind: Kind, page: { after: number; limit: number }) =>
      runInTurn(({ readNextEntries }) => readNextEntries(kind, page)),

    /**
     * Returns the changes since a position. With `mayWait`, waits up to about a second for a
     * change.
     *
     * @throws ChangesPrunedError if the store must be rebuilt
     */
    async readChanges(
      { source, since }: { source: string; since: string },
      { mayWait }: { mayWait: boolean },
    ): Promise<Changes> {
      const until = performance.now() + WAIT_MS
      for (;;) {
        const changes = await runInTurn((openedFeed) => {
          if (openedFeed.source.source !== source)
            throw new ChangesPrunedError('it belongs to another database')
          return openedFeed.readChanges(since, { mayWait: false })
        })
        const mustReturn = !mayWait || closing.signal.aborted || performance.now() >= until
        if (changes.replacements.length > 0 || mustReturn) return changes
        await feed?.wait()
      }
    },

    close(): void {
      closing.abort()
      feed?.close()
    },
  }
}

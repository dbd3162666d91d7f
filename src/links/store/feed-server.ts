import type { Kind } from '../../db/local-store.ts'
import type { Changes, OpenFeed, StoreFeed } from './feed.ts'
import { ChangesPrunedError, type SourceState } from './feed.ts'

export type FeedServer = ReturnType<typeof createFeedServer>

/** Milliseconds for which a request waits for changes. */
const WAIT_MS = 1000

/**
 * Serves a feed to the edges. They share one connection, which is opened on demand and used only
 * while reading.
 */
export function createFeedServer(openFeed: OpenFeed) {
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

import { setTimeout as sleep } from 'node:timers/promises'
import type { StoredEntry } from '../links/store/entries.queries.ts'
import type { Changes, OpenFeed } from '../links/store/feed.ts'
import { ChangesPrunedError, type SourceState } from '../links/store/feed.ts'
import { FORMAT } from '../links/store/store-file.ts'
import { version } from '../version.ts'
import type { MainInstallation } from './edge-settings.ts'
import { createMainClient, MainResponseError, type PostToMain } from './main-client.ts'

const TIMEOUT_MS = 15_000
/** Milliseconds between requests, in case the main installation does not wait for changes. */
const PAUSE_MS = 20

/** Returns the function that opens the feed of the main installation. */
export function createMainFeedOpener(
  main: MainInstallation,
  { baseUrl }: { baseUrl: string },
): OpenFeed {
  const post = createMainClient(main)

  return async (signal) => {
    const limits = { timeoutMs: TIMEOUT_MS, signal }
    const common = { format: FORMAT }
    const source = await post('feed/source', { ...common, baseUrl, version }, limits)
    return {
      source: source as SourceState,
      readNextEntries: async (kind, { after, limit }) =>
        (await post('feed/entries', { ...common, kind, after, limit }, limits)) as StoredEntry[],
      readChanges(since, { mayWait }) {
        const { source: from } = source as SourceState
        const postAs = (path: string, body: object) =>
          post(path, { ...common, source: from, ...body }, limits)
        return readChanges(postAs, { since, mayWait })
      },
      // The main installation deletes its own changes.
      prune: async () => false,
      wait: () => sleep(PAUSE_MS),
      close: () => {},
    }
  }
}

async function readChanges(
  post: (path: string, body: object) => ReturnType<PostToMain>,
  body: { since: string; mayWait: boolean },
): Promise<Changes> {
  try {
    return (await post('feed/changes', body)) as Changes
  } catch (error) {
    const isTooFarBehind = error instanceof MainResponseError && error.status === 410
    throw isTooFarBehind ? new ChangesPrunedError(error.message) : error
  }
}

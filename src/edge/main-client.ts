import { setTimeout as sleep } from 'node:timers/promises'
import type { ClickReceiver } from '../clicks/import.ts'
import type { StoredEntry } from '../links/store/entries.queries.ts'
import {
  type Changes,
  ChangesPrunedError,
  type OpenFeed,
  type SourceState,
} from '../links/store/feed.ts'
import { FORMAT } from '../links/store/store-file.ts'
import { version } from '../version.ts'
import type { MainInstallation } from './edge-settings.ts'

/** Thrown if the main installation responds with an error status. */
class MainResponseError extends Error {
  readonly status: number
  readonly body: unknown

  constructor(status: number, body: unknown) {
    super(`the main installation responded with ${status}${formatMessage(body)}`)
    this.status = status
    this.body = body
  }
}

export type PostToMain = (
  path: string,
  body: object,
  options: { timeoutMs: number; signal?: AbortSignal },
) => Promise<unknown>

/**
 * Creates the function that posts JSON to the main installation and returns the JSON of its
 * response. It throws MainResponseError for any status except 200, and other errors if there is no
 * valid response in time.
 */
export function createMainClient({ url, token }: MainInstallation): PostToMain {
  return async (path, body, { timeoutMs, signal }) => {
    const timeout = AbortSignal.timeout(timeoutMs)
    const response = await fetch(`${url}/internal/edge/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      // The token must not be sent to another server.
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    }).catch((error: unknown) => {
      throw withCause(error)
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    if (response.status === 200 && isJson) return JSON.parse(text)
    throw new MainResponseError(response.status, isJson ? JSON.parse(text) : undefined)
  }
}

/** Adds the cause to the error, because `fetch failed` alone does not explain it. */
function withCause(error: unknown): Error {
  const { message, cause } = error as Error
  const reason = cause instanceof Error ? `: ${cause.message || cause.name}` : ''
  return new Error(`the main installation cannot be reached: ${message}${reason}`, { cause: error })
}

function formatMessage(body: unknown): string {
  const { message } = (body ?? {}) as { message?: unknown }
  return typeof message === 'string' ? `: ${message}` : ''
}

/** Counting a batch may take several seconds on a busy database. */
const CLICKS_TIMEOUT_MS = 70_000

/** Creates the receiver that sends an edge's clicks to the main installation. */
export function createMainClicks(post: PostToMain, signal: AbortSignal): ClickReceiver {
  const limits = { timeoutMs: CLICKS_TIMEOUT_MS, signal }

  return {
    async readPositions(journal) {
      const response = await post('clicks/positions', journal, limits)
      return new Map(Object.entries(response as Record<string, number>))
    },

    async send(clicks) {
      try {
        await post('clicks', clicks, limits)
        return true
      } catch (error) {
        if (error instanceof MainResponseError && error.status === 409) return false
        throw error
      }
    },
  }
}

const FEED_TIMEOUT_MS = 15_000
/** Milliseconds between requests, in case the main installation does not wait for changes. */
const PAUSE_MS = 20

/** Returns the function that opens the feed of the main installation. */
export function createMainFeedOpener(
  main: MainInstallation,
  { baseUrl }: { baseUrl: string },
): OpenFeed {
  const post = createMainClient(main)

  return async (signal) => {
    const limits = { timeoutMs: FEED_TIMEOUT_MS, signal }
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

import type { GuardedFetch } from '../net/guarded-fetch.ts'
import type { ImportRow } from './progress.queries.ts'
import { createJsonClient } from './read/api.ts'
import { readBitly } from './read/bitly.ts'
import type { FileSource } from './read/file.ts'
import { readKutt } from './read/kutt.ts'
import { readShlink } from './read/shlink.ts'
import { readYourls } from './read/yourls.ts'
import { type Source, SourceError, type SourcePage } from './record.ts'

/** The maximum number of rows, which stops an endless source. No service has this many links. */
const MAX_ROWS = 10_000_000
/**
 * Limits for background imports: milliseconds per page, and the longest pause in seconds before
 * other imports get their turn.
 */
const PAGE_TIMEOUT_MS = 1_800_000
const MAX_WAIT_SECONDS = 60

type Api = { source: Exclude<Source, FileSource>; from: string; token?: string | undefined }

type Options = {
  outbound: Pick<GuardedFetch, 'fetch'>
  /** Cancels a background import. */
  signal?: AbortSignal
}

/**
 * Yields the links of an API, starting where the import was interrupted. In the background, the
 * time per page is limited, because other imports may be waiting.
 *
 * @throws SourceError if the source cannot be read or is endless; SourceBusyError if it requests a
 * long pause; the abort reason of the signal
 */
export async function* readApiPages(
  { source, from, token = '' }: Api,
  account: number,
  { page, rows }: Pick<ImportRow, 'page' | 'rows'>,
  { outbound, signal }: Options,
): AsyncGenerator<SourcePage, void> {
  let startedAt = performance.now()
  let rowCount = rows
  const createClient = (headers: Record<string, string>, base = from) => {
    const waitOptions = signal && { maxWaitSeconds: MAX_WAIT_SECONDS }
    const fetchJson = createJsonClient({ outbound, account, base, headers, signal, ...waitOptions })
    return (path: string) => {
      if (signal && performance.now() - startedAt > PAGE_TIMEOUT_MS) {
        throw new SourceError('page_too_slow')
      }
      return fetchJson(path)
    }
  }
  for await (const sourcePage of rejectInvalid(readSource())) {
    rowCount += sourcePage.rows.length
    if (rowCount > MAX_ROWS) throw new SourceError('links_too_many')
    yield sourcePage
    startedAt = performance.now()
  }

  function readSource(): AsyncIterable<SourcePage> {
    switch (source) {
      case 'bitly':
        return readBitly(createClient({ authorization: `Bearer ${token}` }), page, rows + 1)
      case 'yourls':
        return readYourls(createClient({}, toYourlsUrl(from)), toYourlsUrl(from), token, page)
      case 'kutt':
        return readKutt(createClient({ 'x-api-key': token }), page)
      case 'shlink':
        return readShlink(createClient({ 'x-api-key': token }), page)
    }
  }
}

/**
 * Yields pages. A value outside of a link that cannot be read, such as a position, ends the import
 * with SourceError instead of a plain error, which would be retried.
 */
async function* rejectInvalid(pages: AsyncIterable<SourcePage>): AsyncGenerator<SourcePage, void> {
  try {
    yield* pages
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'Error') throw error
    throw new SourceError('invalid_data', {}, { cause: error })
  }
}

/** Returns the URL of YOURLS's API. Also accepts the URL of its folder. */
function toYourlsUrl(from: string): string {
  return /\.php\/?$/.test(from) ? from : `${from.replace(/\/+$/, '')}/yourls-api.php`
}

import type { GuardedFetch } from '../net/guarded-fetch.ts'
import type { ImportRow } from './progress.queries.ts'
import { createAsk } from './read/api.ts'
import { readBitly } from './read/bitly.ts'
import type { FileSource } from './read/file.ts'
import { readKutt } from './read/kutt.ts'
import { readShlink } from './read/shlink.ts'
import { readYourls } from './read/yourls.ts'
import { type Source, SourceError, type SourcePage } from './record.ts'

/** A source that never ends must: no service gives so many links. */
const MOST_ROWS = 10_000_000
/** In the background: milliseconds that a page may take, and seconds waited before others have a turn. */
const PAGE_TIME = 1_800_000
const LONGEST_WAIT = 60

type Api = { source: Exclude<Source, FileSource>; from: string; token?: string | undefined }

type Options = {
  outbound: Pick<GuardedFetch, 'fetch'>
  /** For an import in the background: breaks it off. */
  signal?: AbortSignal
}

/**
 * The links of an API, from where the import has come to. In the background, where others wait for
 * their turn, it may take less time.
 *
 * @throws SourceError, when read, for what cannot be read or has no end; SourceBusyError where the
 *   source wants a long pause; what the signal was aborted with
 */
export async function* openApi(
  { source, from, token = '' }: Api,
  account: number,
  { page, rows }: Pick<ImportRow, 'page' | 'rows'>,
  { outbound, signal }: Options,
): AsyncGenerator<SourcePage, void> {
  let begunAt = performance.now()
  let read = rows
  const asking = (headers: Record<string, string>, base = from) => {
    const wait = signal && { longestWait: LONGEST_WAIT }
    const ask = createAsk({ outbound, account, base, headers, signal, ...wait })
    return (path: string) => {
      if (signal && performance.now() - begunAt > PAGE_TIME) {
        throw new SourceError('The source takes too long for one page of links.')
      }
      return ask(path)
    }
  }
  for await (const each of open()) {
    read += each.rows.length
    if (read > MOST_ROWS) throw new SourceError('The source has too many links.')
    yield each
    begunAt = performance.now()
  }

  function open(): AsyncIterable<SourcePage> {
    switch (source) {
      case 'bitly':
        return readBitly(asking({ authorization: `Bearer ${token}` }), page, rows + 1)
      case 'yourls':
        return readYourls(asking({}, yourlsAddress(from)), token, page)
      case 'kutt':
        return readKutt(asking({ 'x-api-key': token }), page)
      case 'shlink':
        return readShlink(asking({ 'x-api-key': token }), page)
    }
  }
}

/** The address of YOURLS's API, of which people also know the folder alone. */
function yourlsAddress(from: string): string {
  return /\.php\/?$/.test(from) ? from : `${from.replace(/\/+$/, '')}/yourls-api.php`
}

import { type LinkRecord, SourceError, type SourcePage } from '../record.ts'
import { type FetchJson, isLastPage, toRows } from './api.ts'
import {
  attempt,
  type Fields,
  invalidValue,
  isObject,
  readMoment,
  readNumber,
  readOptional,
  readText,
} from './values.ts'

const PAGE_SIZE = 500

const FIELDS: ReadonlySet<string> = new Set([
  'shorturl',
  'url',
  'title',
  'timestamp',
  'clicks',
  'ip',
])

/**
 * Yields the links of a YOURLS installation, using the action `stats` of its API at `apiUrl`. A
 * page is identified by its offset. YOURLS requires the `signature` to be in the URL.
 * https://yourls.org/docs/guide/advanced/api
 */
export async function* readYourls(
  fetchJson: FetchJson,
  apiUrl: string,
  signature: string,
  start: string | null,
): AsyncGenerator<SourcePage> {
  const folder = getFolder(apiUrl)
  for (let offset = Number(start ?? 0); ; ) {
    const query = new URLSearchParams({
      action: 'stats',
      format: 'json',
      filter: 'last',
      limit: String(PAGE_SIZE),
      start: String(offset),
      signature,
    })
    const { links, message, stats } = await fetchJson(`?${query}`)
    // Without any links, the response has only the totals.
    const isEmpty = links === undefined && isObject(stats)
    if (!isEmpty && !isObject(links) && !Array.isArray(links)) {
      throw new SourceError('responded', { text: String(message).slice(0, 200) })
    }
    // Either an object with link_1, link_2 and so on, or an empty list.
    const entries = Object.values(links ?? {})
    const rows = await toRows(
      entries,
      { firstRow: offset + 1, maxRows: PAGE_SIZE, fields: FIELDS, nameField: 'shorturl' },
      (fields) => toRecord(fields, folder),
    )
    offset += rows.length
    yield { rows, next: String(offset) }
    const total = isObject(stats) ? stats.total_links : undefined
    if (isLastPage({ requested: PAGE_SIZE, received: entries.length }, offset, total)) return
  }
}

/** Returns the path of the folder that contains the API. */
function getFolder(apiUrl: string): string {
  return new URL('.', apiUrl).pathname
}

function toRecord(fields: Fields, folder: string): LinkRecord {
  const notices: string[] = []
  const decoration = <Value>(name: string, read: (own: Fields, name: string) => Value) =>
    attempt(() => readOptional(fields, name, read), notices)
  return {
    alias: readKeyword(readText(fields, 'shorturl'), folder),
    url: readText(fields, 'url'),
    metaTitle: decoration('title', readText),
    createdAt: decoration('timestamp', readMoment),
    clicks: decoration('clicks', readNumber),
    notices,
  }
}

/** Returns the keyword of a short URL: its path below the folder of YOURLS. It may have slashes. */
function readKeyword(shortUrl: string, folder: string): string {
  // Not parsed as a URL, which would remove dot segments.
  const [, path = shortUrl] = /^https?:\/\/[^/]+(\/.*)$/is.exec(shortUrl) ?? []
  const keyword = path.startsWith(folder) ? path.slice(folder.length) : path.replace(/^\//, '')
  try {
    return decodeURIComponent(keyword)
  } catch {
    throw invalidValue('shorturl', 'not_short_url', { text: shortUrl.slice(0, 100) })
  }
}

import { type LinkRecord, SourceError, type SourcePage } from '../record.ts'
import type { FetchJson } from './api.ts'
import { getLastPathSegment, toRows } from './api-rows.ts'
import { type Fields, isObject, readMoment, readNumber, readOptional, readText } from './values.ts'

const PAGE_SIZE = 500

/**
 * Yields the links of a YOURLS installation, using the action `stats` of its API. A page is
 * identified by its offset. YOURLS requires the `signature` to be in the URL.
 * https://yourls.org/docs/guide/advanced/api
 */
export async function* readYourls(
  fetchJson: FetchJson,
  signature: string,
  start: string | null,
): AsyncGenerator<SourcePage> {
  for (let offset = Number(start ?? 0); ; ) {
    const query = new URLSearchParams({
      action: 'stats',
      format: 'json',
      filter: 'last',
      limit: String(PAGE_SIZE),
      start: String(offset),
      signature,
    })
    const { links, message } = await fetchJson(`?${query}`)
    if (links !== undefined && !isObject(links) && !Array.isArray(links)) {
      throw new SourceError(`The source responded: ${String(message).slice(0, 200)}`)
    }
    // Either an object with link_1, link_2 and so on, or an empty list.
    const entries = Object.values(links ?? {})
    const rows = await toRows(entries, { firstRow: offset + 1, maxRows: PAGE_SIZE }, toRecord)
    offset += rows.length
    yield { rows, next: String(offset) }
    if (entries.length < PAGE_SIZE) return
  }
}

function toRecord(fields: Fields): LinkRecord {
  return {
    alias: getLastPathSegment(readText(fields, 'shorturl')),
    url: readText(fields, 'url'),
    metaTitle: readOptional(fields, 'title', readText),
    createdAt: readOptional(fields, 'timestamp', readMoment),
    clicks: readOptional(fields, 'clicks', readNumber),
  }
}

import { type LinkRecord, SourceError, type SourcePage } from '../record.ts'
import type { FetchJson } from './api.ts'
import { lastPart, rowsOf } from './api-rows.ts'
import { type Fields, isObject, moment, number, optional, text } from './values.ts'

const PAGE = 500

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
  for (let from = Number(start ?? 0); ; ) {
    const query = new URLSearchParams({
      action: 'stats',
      format: 'json',
      filter: 'last',
      limit: String(PAGE),
      start: String(from),
      signature,
    })
    const { links, message } = await fetchJson(`?${query}`)
    if (links !== undefined && !isObject(links) && !Array.isArray(links)) {
      throw new SourceError(`The source responded: ${String(message).slice(0, 200)}`)
    }
    // Either an object with link_1, link_2 and so on, or an empty list.
    const entries = Object.values(links ?? {})
    const rows = await rowsOf(entries, { firstRow: from + 1, maxRows: PAGE }, toRecord)
    from += rows.length
    yield { rows, next: String(from) }
    if (entries.length < PAGE) return
  }
}

function toRecord(fields: Fields): LinkRecord {
  return {
    alias: lastPart(text(fields, 'shorturl')),
    url: text(fields, 'url'),
    metaTitle: optional(fields, 'title', text),
    createdAt: optional(fields, 'timestamp', moment),
    clicks: optional(fields, 'clicks', number),
  }
}

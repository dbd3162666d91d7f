import { type LinkRecord, SourceError, type SourcePage } from '../record.ts'
import type { FetchJson } from './api.ts'
import { lastPart, rowsOf } from './api-rows.ts'
import { type Fields, isObject, list, moment, optional, text } from './values.ts'

const PAGE = 100
const MAX_GROUPS = 1000

/**
 * Yields the links of all groups of a Bitly account (API v4). A page is identified by its group and
 * `search_after`. https://dev.bitly.com/api-reference/#getBitlinksByGroup
 */
export async function* readBitly(
  fetchJson: FetchJson,
  start: string | null,
  firstRow: number,
): AsyncGenerator<SourcePage> {
  const { groups } = await fetchJson('/v4/groups')
  const listed = Array.isArray(groups)
    ? groups.filter(isObject).map((each) => text(each, 'guid'))
    : []
  // Duplicate groups would restart the iteration.
  const all = [...new Set(listed)]
  if (all.length > MAX_GROUPS) throw new SourceError('The source has too many groups.')
  const [first = all[0], from = ''] = start?.split(' ') ?? []
  let row = firstRow
  let group = first
  let after = from
  while (group !== undefined) {
    const query = new URLSearchParams({ size: String(PAGE), archived: 'both', search_after: after })
    const page = await fetchJson(`/v4/groups/${encodeURIComponent(group)}/bitlinks?${query}`)
    const links = Array.isArray(page.links) ? page.links : []
    const rows = await rowsOf(links, { firstRow: row, maxRows: PAGE }, toRecord)
    row += rows.length
    const { pagination } = page
    const more = isObject(pagination) ? (optional(pagination, 'search_after', text) ?? '') : ''
    if (more === '' || links.length === 0) group = all[all.indexOf(group) + 1]
    after = links.length === 0 ? '' : more
    yield { rows, next: group === undefined ? undefined : `${group} ${after}` }
  }
}

function toRecord(fields: Fields): LinkRecord {
  const custom = optional(fields, 'custom_bitlinks', list)?.[0]
  const short = custom ?? text(fields, 'link')
  const url = /^https?:/i.test(short) ? short : `https://${short}`
  return {
    alias: lastPart(url),
    domain: URL.parse(url)?.host,
    url: text(fields, 'long_url'),
    metaTitle: optional(fields, 'title', text),
    tags: optional(fields, 'tags', list),
    createdAt: optional(fields, 'created_at', moment),
  }
}

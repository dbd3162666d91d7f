import { type LinkRecord, SourceError, type SourcePage } from '../record.ts'
import type { FetchJson } from './api.ts'
import { getLastPathSegment, toRows } from './api-rows.ts'
import { type Fields, isObject, readMoment, readOptional, readText, readTexts } from './values.ts'

const PAGE_SIZE = 100
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
  const groupIds = Array.isArray(groups)
    ? groups.filter(isObject).map((each) => readText(each, 'guid'))
    : []
  // Duplicate groups would restart the iteration.
  const distinctIds = [...new Set(groupIds)]
  if (distinctIds.length > MAX_GROUPS) throw new SourceError('The source has too many groups.')
  const [first = distinctIds[0], from = ''] = start?.split(' ') ?? []
  let row = firstRow
  let group = first
  let after = from
  while (group !== undefined) {
    const query = new URLSearchParams({
      size: String(PAGE_SIZE),
      archived: 'both',
      search_after: after,
    })
    const page = await fetchJson(`/v4/groups/${encodeURIComponent(group)}/bitlinks?${query}`)
    const links = Array.isArray(page.links) ? page.links : []
    const rows = await toRows(links, { firstRow: row, maxRows: PAGE_SIZE }, toRecord)
    row += rows.length
    const { pagination } = page
    const nextPosition = isObject(pagination)
      ? (readOptional(pagination, 'search_after', readText) ?? '')
      : ''
    if (nextPosition === '' || links.length === 0)
      group = distinctIds[distinctIds.indexOf(group) + 1]
    after = links.length === 0 ? '' : nextPosition
    yield { rows, next: group === undefined ? undefined : `${group} ${after}` }
  }
}

function toRecord(fields: Fields): LinkRecord {
  const custom = readOptional(fields, 'custom_bitlinks', readTexts)?.[0]
  const short = custom ?? readText(fields, 'link')
  const url = /^https?:/i.test(short) ? short : `https://${short}`
  return {
    alias: getLastPathSegment(url),
    domain: URL.parse(url)?.host,
    url: readText(fields, 'long_url'),
    metaTitle: readOptional(fields, 'title', readText),
    tags: readOptional(fields, 'tags', readTexts),
    createdAt: readOptional(fields, 'created_at', readMoment),
  }
}

import { parseShortUrl } from '../../urls/short-url.ts'
import { type LinkRecord, type ReadLink, SourceError, type SourcePage } from '../record.ts'
import { type FetchJson, readEntries, toRows } from './api.ts'
import { isSet } from './restriction.ts'
import {
  attempt,
  createProblem,
  type Fields,
  isObject,
  readMoment,
  readOptional,
  readText,
  readTexts,
} from './values.ts'

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
  const groups = readEntries(await fetchJson('/v4/groups'), 'groups')
  const groupIds = groups.filter(isObject).map((each) => readText(each, 'guid'))
  // Duplicate groups would restart the iteration.
  const distinctIds = [...new Set(groupIds)]
  if (distinctIds.length > MAX_GROUPS) throw new SourceError('groups_too_many')
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
    const links = readEntries(page, 'links')
    const rows = await toRows(
      links,
      { firstRow: row, maxRows: PAGE_SIZE, fields: FIELDS, nameField: 'link' },
      toLinks,
    )
    row += links.length
    const { pagination } = page
    const nextPosition = isObject(pagination)
      ? (readOptional(pagination, 'search_after', readText) ?? '')
      : ''
    // The same page would come again and again.
    if (nextPosition !== '' && nextPosition === after) throw new SourceError('invalid_data')
    if (nextPosition === '' || links.length === 0)
      group = distinctIds[distinctIds.indexOf(group) + 1]
    after = links.length === 0 ? '' : nextPosition
    yield { rows, next: group === undefined ? undefined : `${group} ${after}` }
  }
}

const FIELDS: ReadonlySet<string> = new Set(
  'link id custom_bitlinks long_url title tags created_at archived is_deleted expiration_at'.split(
    ' ',
  ),
)

/** Returns a link for each name: the custom ones, then the generated one. */
function toLinks(fields: Fields): ReadLink[] {
  const notices: string[] = []
  const url = readText(fields, 'long_url')
  const custom = attempt(() => readOptional(fields, 'custom_bitlinks', readTexts), notices) ?? []
  const names = [...custom, readText(fields, 'link')].map(
    (text) => [text, parseShortUrl(text.replace(/\/+$/, ''))] as const,
  )
  const link = {
    url,
    metaTitle: attempt(() => readOptional(fields, 'title', readText), notices),
    tags: attempt(() => readOptional(fields, 'tags', readTexts), notices),
    createdAt: attempt(() => readOptional(fields, 'created_at', readMoment), notices),
    expiresAt: readOptional(fields, 'expiration_at', readMoment),
    archived: isSet(fields.archived),
    disabled: isSet(fields.is_deleted),
  } satisfies Partial<LinkRecord>
  const distinct = new Map(
    names.map(
      ([text, name]) => [name ? `${name.host}/${name.alias}` : text, [text, name]] as const,
    ),
  )
  return [...distinct.values()].map(([text, name], index): ReadLink => {
    if (name) {
      const { alias, host: domain } = name
      return { record: { ...link, alias, domain, notices: index ? [] : notices } }
    }
    const problem = createProblem('link', 'not_short_url', { text: text.slice(0, 100) })
    return { alias: text, problem }
  })
}

import { MAX_CLICKS } from '../../links/rules/lengths.ts'
import type { LinkRecord, SourcePage } from '../record.ts'
import type { FetchJson } from './api.ts'
import { rowsOf } from './api-rows.ts'
import { type CountLimit, createVisitDays, MAX_COUNTS } from './shlink-visits.ts'
import { type Fields, isObject, list, moment, number, optional, text } from './values.ts'

const PAGE = 50
const VISITS = 5000
/**
 * The maximum number of pages per link. Visits on later pages are counted on the day the link was
 * created.
 */
const MAX_VISIT_PAGES = 200
const MAX_ALIAS_LENGTH = 255

/**
 * Yields the links of a Shlink installation with their visits (REST API v3). A page is identified
 * by its number. Bot visits are skipped, because they are not counted here either.
 * https://api-spec.shlink.io
 */
export async function* readShlink(
  fetchJson: FetchJson,
  start: string | null,
): AsyncGenerator<SourcePage> {
  for (let page = Number(start ?? 1); ; page += 1) {
    const query = new URLSearchParams({ page: String(page), itemsPerPage: String(PAGE) })
    const { entries, pages } = pageOf(await fetchJson(`/rest/v3/short-urls?${query}`), 'shortUrls')
    const bounds = { firstRow: (page - 1) * PAGE + 1, maxRows: PAGE }
    const limit = { left: MAX_COUNTS }
    const rows = await rowsOf(entries, bounds, (fields) => toRecord(fetchJson, fields, limit))
    yield { rows, next: String(page + 1) }
    if (page >= pages || entries.length === 0) return
  }
}

async function toRecord(
  fetchJson: FetchJson,
  fields: Fields,
  limit: CountLimit,
): Promise<LinkRecord> {
  const alias = text(fields, 'shortCode')
  if (alias.length > MAX_ALIAS_LENGTH) throw new Error('shortCode is too long')
  const domain = optional(fields, 'domain', text)
  const meta = isObject(fields.meta) ? fields.meta : {}
  const summary = isObject(fields.visitsSummary) ? fields.visitsSummary : {}
  const maxVisits = optional(meta, 'maxVisits', number)
  const visits =
    optional(summary, 'nonBots', number) ?? optional(fields, 'visitsCount', number) ?? 0
  return {
    alias,
    domain,
    url: text(fields, 'longUrl'),
    metaTitle: optional(fields, 'title', text),
    tags: optional(fields, 'tags', list),
    createdAt: optional(fields, 'dateCreated', moment),
    startsAt: optional(meta, 'validSince', moment),
    expiresAt: optional(meta, 'validUntil', moment),
    maxClicks: maxVisits && Math.min(maxVisits, MAX_CLICKS),
    usedClicks: visits,
    clicks: visits,
    // Versions without this field always forward the query.
    forwardQuery: fields.forwardQuery !== false,
    ...(visits > 0 && (await historyOf(fetchJson, alias, domain, limit))),
  }
}

async function historyOf(
  fetchJson: FetchJson,
  alias: string,
  domain: string | undefined,
  limit: CountLimit,
) {
  const days = createVisitDays(limit)
  for (let page = 1; ; page += 1) {
    const query = new URLSearchParams({
      page: String(page),
      itemsPerPage: String(VISITS),
      excludeBots: 'true',
      ...(domain && { domain }),
    })
    const path = `/rest/v3/short-urls/${encodeURIComponent(alias)}/visits?${query}`
    const { entries, pages } = pageOf(await fetchJson(path), 'visits')
    for (const entry of entries) if (isObject(entry) && entry.potentialBot !== true) days.add(entry)
    const isLast = page >= pages || entries.length === 0 || page >= MAX_VISIT_PAGES
    if (isLast) return days.history()
  }
}

function pageOf(reply: Fields, name: string): { entries: unknown[]; pages: number } {
  const page = reply[name]
  const { data, pagination } = isObject(page) ? page : {}
  const pages = isObject(pagination) ? (optional(pagination, 'pagesCount', number) ?? 1) : 1
  return { entries: Array.isArray(data) ? data : [], pages }
}

import { MAX_CLICKS } from '../../links/rules/lengths.ts'
import type { LinkRecord, SourcePage } from '../record.ts'
import type { FetchJson } from './api.ts'
import { readEntries, toRows } from './api-rows.ts'
import { rejectRestrictions } from './restriction.ts'
import { invalidValue } from './row-error.ts'
import { toDeviceRules, toRules } from './shlink-rules.ts'
import { type CountLimit, createVisitDays, MAX_COUNTS } from './shlink-visits.ts'
import {
  attempt,
  type Fields,
  isObject,
  readMoment,
  readNumber,
  readOptional,
  readText,
  readTexts,
} from './values.ts'

const PAGE_SIZE = 50
const VISITS_PER_PAGE = 5000
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
    const query = new URLSearchParams({ page: String(page), itemsPerPage: String(PAGE_SIZE) })
    const { entries, pages } = parsePage(
      await fetchJson(`/rest/v3/short-urls?${query}`),
      'shortUrls',
    )
    const firstRow = (page - 1) * PAGE_SIZE + 1
    const options = { firstRow, maxRows: PAGE_SIZE, fields: FIELDS, nameField: 'shortCode' }
    const limit = { remaining: MAX_COUNTS }
    const rows = await toRows(entries, options, (fields) => toRecord(fetchJson, fields, limit))
    yield { rows, next: String(page + 1) }
    if (page >= pages || entries.length === 0) return
  }
}

const FIELDS: ReadonlySet<string> = new Set(
  'shortCode shortUrl longUrl deviceLongUrls domain title tags dateCreated meta visitsSummary visitsCount forwardQuery hasRedirectRules crawlable'.split(
    ' ',
  ),
)
const META: ReadonlySet<string> = new Set(['validSince', 'validUntil', 'maxVisits'])

async function toRecord(
  fetchJson: FetchJson,
  fields: Fields,
  limit: CountLimit,
): Promise<LinkRecord> {
  const alias = readText(fields, 'shortCode')
  if (alias.length > MAX_ALIAS_LENGTH) throw invalidValue('shortCode', 'value_too_long')
  const domain = readOptional(fields, 'domain', readText)
  const meta = isObject(fields.meta) ? fields.meta : {}
  rejectRestrictions(meta, META)
  const summary = isObject(fields.visitsSummary) ? fields.visitsSummary : {}
  const maxVisits = readOptional(meta, 'maxVisits', readNumber)
  const notices: string[] = []
  const readVisits = () =>
    readOptional(summary, 'nonBots', readNumber) ?? readOptional(fields, 'visitsCount', readNumber)
  // A wrong number would change how often a link with a limit still works.
  const visits = (maxVisits ? readVisits() : attempt(readVisits, notices)) ?? 0
  const path = `/rest/v3/short-urls/${encodeURIComponent(alias)}`
  return {
    alias,
    domain,
    url: readText(fields, 'longUrl'),
    metaTitle: attempt(() => readOptional(fields, 'title', readText), notices),
    tags: attempt(() => readOptional(fields, 'tags', readTexts), notices),
    createdAt: attempt(() => readOptional(fields, 'dateCreated', readMoment), notices),
    startsAt: readOptional(meta, 'validSince', readMoment),
    expiresAt: readOptional(meta, 'validUntil', readMoment),
    maxClicks: maxVisits && Math.min(maxVisits, MAX_CLICKS),
    usedClicks: visits,
    clicks: visits,
    // Versions without this field always forward the query.
    forwardQuery: fields.forwardQuery !== false,
    rules: [
      ...(fields.hasRedirectRules === true
        ? toRules(await fetchJson(`${path}/redirect-rules?${toDomainQuery(domain)}`))
        : []),
      ...toDeviceRules(fields.deviceLongUrls),
    ],
    notices,
    ...(visits > 0 && (await readHistory(fetchJson, path, domain, limit))),
  }
}

function toDomainQuery(domain: string | undefined): URLSearchParams {
  return new URLSearchParams(domain ? { domain } : {})
}

async function readHistory(
  fetchJson: FetchJson,
  link: string,
  domain: string | undefined,
  limit: CountLimit,
) {
  const days = createVisitDays(limit)
  for (let page = 1; ; page += 1) {
    const query = new URLSearchParams({
      page: String(page),
      itemsPerPage: String(VISITS_PER_PAGE),
      excludeBots: 'true',
      ...(domain && { domain }),
    })
    const { entries, pages } = parsePage(await fetchJson(`${link}/visits?${query}`), 'visits')
    for (const entry of entries) if (isObject(entry) && entry.potentialBot !== true) days.add(entry)
    const isLast = page >= pages || entries.length === 0 || page >= MAX_VISIT_PAGES
    if (isLast) return days.getHistory()
  }
}

function parsePage(response: Fields, name: string): { entries: readonly unknown[]; pages: number } {
  const page = response[name]
  const entries = readEntries(isObject(page) ? page : {}, 'data')
  const { pagination } = page as Fields
  const pages = isObject(pagination) ? (readOptional(pagination, 'pagesCount', readNumber) ?? 1) : 1
  return { entries, pages }
}

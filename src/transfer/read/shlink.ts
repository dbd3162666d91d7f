import type { LabelList } from '../../clicks/import.ts'
import { parseReferrerHost, toReferrerLabel } from '../../visitors/referrer.ts'
import { parseUserAgent } from '../../visitors/user-agent.ts'
import type { DayRecord, LinkRecord, SourcePage } from '../record.ts'
import { type FetchJson, readEntries, toRows } from './api.ts'
import { parseMoment } from './moment.ts'
import { rejectRestrictions } from './restriction.ts'
import { toDeviceRules, toRules } from './shlink-rules.ts'
import {
  attempt,
  type Fields,
  invalidValue,
  isObject,
  readMoment,
  readNumber,
  readOptional,
  readText,
  readTexts,
} from './values.ts'

/**
 * The number of counts that may still be stored for the links that are read together. This limits
 * memory.
 */
type CountLimit = { remaining: number }

const MAX_COUNTS = 500_000

/** The number of counts that take as much memory as a day. */
const COUNTS_PER_DAY = 10

/** The length of the longest host name. */
const MAX_LABEL_LENGTH = 253

type Day = {
  clicks: number
  hours: Map<number, number>
  labels: Partial<Record<LabelList, Map<string, number>>>
}

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
  const readVisits = (name: string) =>
    readOptional(summary, name, readNumber) ?? readOptional(fields, 'visitsCount', readNumber)
  const visits = attempt(() => readVisits('nonBots'), notices) ?? 0
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
    maxClicks: maxVisits,
    // Visits of bots count toward the limit there. A wrong number would change how often the link
    // still works.
    usedClicks: maxVisits && readVisits('total'),
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

/**
 * Counts Shlink visits by day, hour and label. Once the limit is reached, visits on new days and
 * new labels are dropped.
 */
export function createVisitDays(limit: CountLimit = { remaining: MAX_COUNTS }) {
  const days = new Map<string, Day>()
  let lastVisitAt: string | undefined

  function add(visit: Fields): void {
    const moment = parseMoment(readOptional(visit, 'date', readText) ?? '')
    if (!moment) return
    const at = moment.toISOString()
    if (lastVisitAt === undefined || at > lastVisitAt) lastVisitAt = at
    const day = getDay(at.slice(0, 10))
    if (!day) return
    day.clicks += 1
    increase(day.hours, moment.getUTCHours(), limit)
    const { browser, os, device } = parseUserAgent(readOptional(visit, 'userAgent', readText) ?? '')
    const place = isObject(visit.visitLocation) ? visit.visitLocation : {}
    const labels: Partial<Record<LabelList, string>> = {
      countries: readOptional(place, 'countryCode', readText) ?? 'Unknown',
      referrers: toReferrerLabel(parseReferrerHost(readOptional(visit, 'referer', readText))),
      browsers: browser,
      os,
      devices: device,
    }
    for (const [list, label] of Object.entries(labels) as [LabelList, string][]) {
      const counts = day.labels[list] ?? new Map()
      day.labels[list] = counts
      increase(counts, truncateLabel(label), limit)
    }
  }

  function getDay(name: string): Day | undefined {
    const existing = days.get(name)
    if (existing || limit.remaining < COUNTS_PER_DAY) return existing
    limit.remaining -= COUNTS_PER_DAY
    const day: Day = { clicks: 0, hours: new Map(), labels: {} }
    days.set(name, day)
    return day
  }

  /** Returns the sums in the format of a record. */
  function getHistory(): { days: DayRecord[]; lastClickAt?: string } {
    const list = [...days].map(([day, own]) => ({ day, ...own }))
    return { days: list, ...(lastVisitAt && { lastClickAt: lastVisitAt }) }
  }

  return { add, getHistory }
}

function increase<Key>(counts: Map<Key, number>, key: Key, limit: CountLimit): void {
  const before = counts.get(key)
  if (before === undefined) {
    if (limit.remaining < 1) return
    limit.remaining -= 1
  }
  counts.set(key, (before ?? 0) + 1)
}

/**
 * Truncates a label and copies it. Without the copy, V8's slice would keep the entire text, such as
 * a referrer's URL, in memory.
 */
function truncateLabel(label: string): string {
  return Buffer.from(label.slice(0, MAX_LABEL_LENGTH), 'utf16le').toString('utf16le')
}

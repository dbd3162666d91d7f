import type { LabelList } from '../../clicks/import.ts'
import { parseReferrerHost, toReferrerLabel } from '../../visitors/referrer.ts'
import { parseUserAgent } from '../../visitors/user-agent.ts'
import type { DayRecord } from '../record.ts'
import { parseMoment } from './moment.ts'
import { type Fields, isObject, readOptional, readText } from './values.ts'

/**
 * The number of counts that may still be stored for the links that are read together. This limits
 * memory.
 */
export type CountLimit = { remaining: number }

export const MAX_COUNTS = 500_000
/** The number of counts that take as much memory as a day. */
const COUNTS_PER_DAY = 10
/** The length of the longest host name. */
const MAX_LABEL_LENGTH = 253

type Day = {
  clicks: number
  hours: Map<number, number>
  labels: Partial<Record<LabelList, Map<string, number>>>
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

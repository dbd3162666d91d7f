import {
  byList,
  type History as ClickHistory,
  type HistoryDay,
  type LabelList,
  labelLists,
  MAX_LABELS,
  OTHER,
  partialLists,
  toLabelText,
} from '../clicks/import.ts'
import { memo } from '../concurrency/memo.ts'
import { invalid } from '../errors.ts'
import { findCountryCode, getCountryName } from '../visitors/country-names.ts'
import { parseMoment } from './read/moment.ts'
import type { DayRecord, LinkRecord } from './record.ts'

/** The clicks of a link by day, and their total number. */
export type History = ClickHistory & { clicks: number }

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** The date of the first web page, before which no clicks are possible. */
const FIRST_DAY = Date.UTC(1990, 11, 20) / DAY_MS
/** The maximum number of clicks per link. The sum for a million links must stay below 2^53. */
const MAX_CLICKS = 5_000_000_000
/** The approximate size of a stored day, and of each count by hour or label in it. */
const DAY_BYTES = 150
const COUNT_BYTES = 8

/**
 * Returns a record's clicks, or undefined if it has none. Clicks without a day are counted on the
 * day the link was created, clicks without an hour at the start of their day, and clicks without a
 * country, browser and so on as `Other`.
 *
 * @throws AppError `invalid_input` naming the invalid value
 */
export function readHistory(record: LinkRecord, createdAt: Date, now: Date): History | undefined {
  const { days: listedDays = [], lastClickAt, labels = {} } = record
  const today = Math.floor(now.getTime() / DAY_MS)
  const limitLabel = createLabelLimiter()
  const days = new Map<number, HistoryDay>()
  for (const [index, each] of listedDays.entries()) {
    const prefix = `days[${index}].`
    const day = parseDay(`${prefix}day`, each.day, today)
    if (days.has(day)) throw invalid(`${prefix}day`, 'duplicate')
    const completed = completeDay(prefix, day, each, limitLabel)
    if (each.clicks > 0) days.set(day, completed)
  }
  const knownClicks = [...days.values()].reduce((sum, { clicks }) => sum + clicks, 0)
  const lastDay = [...days.values()].reduce<HistoryDay | undefined>(
    (last, each) => (last && last.day > each.day ? last : each),
    undefined,
  )
  const clicks = Math.max(knownClicks, record.clicks ?? 0)
  if (clicks > MAX_CLICKS) throw invalid('clicks', 'at_most', { max: MAX_CLICKS })
  if (clicks === 0) return undefined
  if (clicks > knownClicks) {
    const day = Math.min(Math.floor(createdAt.getTime() / DAY_MS), today)
    const missing = clicks - knownClicks
    // The record's own labels apply only if it lists no clicks by day.
    const dayRecord = { day: '', clicks: missing, ...(knownClicks === 0 && { labels }) }
    const remaining = completeDay('', day, dayRecord, limitLabel)
    days.set(day, addDays(days.get(day), remaining))
  }
  return {
    clicks,
    days: [...days.values()].sort((a, b) => a.day - b.day),
    lastClickAt:
      lastClickAt === undefined ? findLastHour(lastDay, now) : parseLastClick(lastClickAt, now),
  }
}

/** Returns about how many bytes the clicks take when they are stored. */
export function estimateBytes(history: History | undefined): number {
  if (!history) return 0
  return history.days.reduce((sum, { hours, labels }) => {
    const labelCount = labelLists.reduce((count, list) => count + labels[list].size, 0)
    return sum + DAY_BYTES + COUNT_BYTES * (hours.size + labelCount)
  }, 0)
}

/** Returns the start of the last hour with clicks, or of the day if the hours are unknown. */
function findLastHour(day: HistoryDay | undefined, now: Date): Date | null {
  if (!day) return null
  const time = day.day * DAY_MS + Math.max(...day.hours.keys()) * HOUR_MS
  return new Date(Math.min(time, now.getTime()))
}

function parseLastClick(value: string, now: Date): Date {
  const time = parseMoment(value)?.getTime() ?? Number.NaN
  if (!(time >= FIRST_DAY * DAY_MS && time <= now.getTime() + DAY_MS)) {
    throw invalid('lastClickAt', 'past')
  }
  return new Date(Math.min(time, now.getTime()))
}

function parseDay(field: string, value: string, today: number): number {
  const day = parseDayNumber(value)
  // Allows one day ahead, because it may already be tomorrow at the source.
  if (!(day >= FIRST_DAY && day <= today + 1)) {
    throw invalid(field, 'past_day')
  }
  return Math.min(day, today)
}

/** Memoized, because many links have clicks on the same days. */
const parseDayNumber = memo((value: string): number => {
  const moment = /^\d{4}-\d{2}-\d{2}$/.test(value) ? parseMoment(value) : undefined
  return moment ? moment.getTime() / DAY_MS : Number.NaN
}, 2000)

/** Returns a day with its missing clicks added to its hours and labels. */
function completeDay(
  prefix: string,
  day: number,
  { clicks, hours = new Map(), labels = {} }: DayRecord,
  limitLabel: (list: LabelList, name: string) => string,
): HistoryDay {
  const unknown = createUnlabeledDay(String(clicks))
  if (hours.size === 0 && labelLists.every((list) => !labels[list]?.size)) {
    return { day, clicks, ...unknown }
  }
  const lists = labelLists.map((list) => {
    const counted = labels[list]
    if (!counted || counted.size === 0) return [list, unknown.labels[list]]
    const counts = new Map<string, number>()
    for (const [name, count] of counted) add(counts, limitLabel(list, name), count)
    addRemainder(
      counts,
      clicks,
      partialLists.has(list) ? undefined : OTHER,
      () => `${prefix}${list}`,
    )
    return [list, counts]
  })
  const byHour = new Map<number, number>()
  for (const [hour, count] of hours) {
    if (!(Number.isInteger(hour) && hour >= 0 && hour < 24)) {
      throw invalid(`${prefix}hours`, 'hours_range')
    }
    add(byHour, hour, count)
  }
  addRemainder(byHour, clicks, 0, () => `${prefix}hours`)
  return { day, clicks, hours: byHour, labels: Object.fromEntries(lists) as HistoryDay['labels'] }
}

const NO_COUNTS: ReadonlyMap<string, number> = new Map()

/** Returns the same object for most days, which only have a number of clicks. */
const createUnlabeledDay = memo((clicks: string): Pick<HistoryDay, 'hours' | 'labels'> => {
  const all = new Map([[OTHER, Number(clicks)]])
  const labels = byList(({ list }) => (partialLists.has(list) ? NO_COUNTS : all))
  return { hours: new Map([[0, Number(clicks)]]), labels }
}, 2000)

/** Counts the missing clicks under the key `remainder`, if it is defined. */
function addRemainder<Key>(
  counts: Map<Key, number>,
  clicks: number,
  remainder: Key | undefined,
  field: () => string,
): void {
  let knownClicks = 0
  for (const count of counts.values()) knownClicks += count
  if (knownClicks > clicks) throw invalid(field(), 'add_up_to_more', { sum: knownClicks, clicks })
  if (remainder !== undefined) add(counts, remainder, clicks - knownClicks)
}

function addDays(first: HistoryDay | undefined, second: HistoryDay): HistoryDay {
  if (!first) return second
  const lists = labelLists.map((list) => [list, addCounts(first.labels[list], second.labels[list])])
  return {
    day: first.day,
    clicks: first.clicks + second.clicks,
    hours: addCounts(first.hours, second.hours),
    labels: Object.fromEntries(lists) as HistoryDay['labels'],
  }
}

function addCounts<Key>(first: ReadonlyMap<Key, number>, second: ReadonlyMap<Key, number>) {
  const sum = new Map(first)
  for (const [key, count] of second) add(sum, key, count)
  return sum
}

function add<Key>(counts: Map<Key, number>, key: Key, count: number): void {
  if (count > 0) counts.set(key, (counts.get(key) ?? 0) + count)
}

/**
 * Creates the function that returns the label to store for a name: `Other` once a list has as many
 * labels as can be stored per link.
 */
function createLabelLimiter() {
  const seen = new Map<LabelList, Set<string>>()
  return (list: LabelList, name: string): string => {
    const label = list === 'countries' ? normalizeCountry(name) : toLabelText(name)
    const knownLabels = seen.get(list) ?? new Set()
    seen.set(list, knownLabels)
    if (knownLabels.size >= MAX_LABELS && !knownLabels.has(label)) return OTHER
    knownLabels.add(label)
    return label
  }
}

/** Returns the common name of a country. Also accepts its code. */
const normalizeCountry = memo((name: string): string => {
  const code = findCountryCode(name)
  return code ? getCountryName(code) : toLabelText(name)
}, 2000)

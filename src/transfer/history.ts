import {
  byList,
  type History as ClickHistory,
  type HistoryDay,
  type LabelList,
  labelLists,
  MAX_LABELS,
  OTHER,
} from '../clicks/import.ts'
import { memo } from '../concurrency/memo.ts'
import { invalid } from '../errors.ts'
import { countryCode, countryName } from '../visitors/country-names.ts'
import { parseMoment } from './read/moment.ts'
import type { DayRecord, LinkRecord } from './record.ts'

/** The clicks of a link by day, and their number. */
export type History = ClickHistory & { clicks: number }

const DAY = 86_400_000
const HOUR = 3_600_000
/** The first page of the web is from then. */
const FIRST_DAY = Date.UTC(1990, 11, 20) / DAY
/** Clicks of one link at most: the sum over a million links stays below 2^53 and so exact. */
const MAX_CLICKS = 5_000_000_000
/** The longest host name, and so the longest label that clicks of our own have. */
const LONGEST_LABEL = 253

/**
 * What is known of a link's clicks, or undefined where there are none. Clicks that no day tells of are
 * counted on the day when the link was made, those of no known hour at the beginning of their day, and
 * those of no known country, and so on, as `Other`.
 *
 * @throws AppError `invalid_input` naming what does not add up
 */
export function readHistory(record: LinkRecord, madeAt: Date, now: Date): History | undefined {
  const { days: given = [], lastClickAt, labels = {} } = record
  const today = Math.floor(now.getTime() / DAY)
  const keep = createLabelBound()
  const days = new Map<number, HistoryDay>()
  for (const [index, each] of given.entries()) {
    const prefix = `days[${index}].`
    const day = parseDay(`${prefix}day`, each.day, today)
    if (days.has(day)) throw invalid(`${prefix}day`, 'is listed twice')
    const complete = completeDay(prefix, day, each, keep)
    if (each.clicks > 0) days.set(day, complete)
  }
  const known = [...days.values()].reduce((sum, { clicks }) => sum + clicks, 0)
  const lastDay = [...days.values()].reduce<HistoryDay | undefined>(
    (last, each) => (last && last.day > each.day ? last : each),
    undefined,
  )
  const clicks = Math.max(known, record.clicks ?? 0)
  if (clicks > MAX_CLICKS) throw invalid('clicks', `must be at most ${MAX_CLICKS}`)
  if (clicks === 0) return undefined
  if (clicks > known) {
    const day = Math.min(Math.floor(madeAt.getTime() / DAY), today)
    const rest = clicks - known
    const own = completeDay(
      '',
      day,
      { day: '', clicks: rest, ...(known === 0 && { labels }) },
      keep,
    )
    days.set(day, sumOf(days.get(day), own))
  }
  return {
    clicks,
    days: [...days.values()].sort((a, b) => a.day - b.day),
    lastClickAt:
      lastClickAt === undefined ? lastHour(lastDay, now) : parseLastClick(lastClickAt, now),
  }
}

/** The beginning of the last hour with clicks; the day itself where its hours are unknown. */
function lastHour(day: HistoryDay | undefined, now: Date): Date | null {
  if (!day) return null
  const time = day.day * DAY + Math.max(...day.hours.keys()) * HOUR
  return new Date(Math.min(time, now.getTime()))
}

function parseLastClick(value: string, now: Date): Date {
  const time = parseMoment(value)?.getTime() ?? Number.NaN
  if (!(time >= FIRST_DAY * DAY && time <= now.getTime() + DAY)) {
    throw invalid('lastClickAt', 'must be a moment of the past')
  }
  return new Date(Math.min(time, now.getTime()))
}

function parseDay(field: string, value: string, today: number): number {
  const day = dayOf(value)
  // A day ahead, it may be tomorrow already where the source is.
  if (!(day >= FIRST_DAY && day <= today + 1)) {
    throw invalid(field, 'must be a day of the past, YYYY-MM-DD')
  }
  return Math.min(day, today)
}

/** Many links were clicked on the same days. */
const dayOf = memo((value: string): number => {
  const moment = /^\d{4}-\d{2}-\d{2}$/.test(value) ? parseMoment(value) : undefined
  return moment ? moment.getTime() / DAY : Number.NaN
}, 2000)

function completeDay(
  prefix: string,
  day: number,
  { clicks, hours = new Map(), labels = {} }: DayRecord,
  keep: (list: LabelList, name: string) => string,
): HistoryDay {
  const unknown = unknownOf(String(clicks))
  if (hours.size === 0 && labelLists.every((list) => !labels[list]?.size)) {
    return { day, clicks, ...unknown }
  }
  const lists = labelLists.map((list) => {
    const given = labels[list]
    if (!given || given.size === 0) return [list, unknown.labels[list]]
    const counts = new Map<string, number>()
    for (const [name, count] of given) add(counts, keep(list, name), count)
    complete(counts, clicks, OTHER, () => `${prefix}${list}`)
    return [list, counts]
  })
  const byHour = new Map<number, number>()
  for (const [hour, count] of hours) {
    if (!(Number.isInteger(hour) && hour >= 0 && hour < 24)) {
      throw invalid(`${prefix}hours`, 'must be whole hours from 0 to 23')
    }
    add(byHour, hour, count)
  }
  complete(byHour, clicks, 0, () => `${prefix}hours`)
  return { day, clicks, hours: byHour, labels: Object.fromEntries(lists) as HistoryDay['labels'] }
}

/** What is said of clicks of which nothing more is known: of most days, so that they share it. */
const unknownOf = memo((clicks: string): Pick<HistoryDay, 'hours' | 'labels'> => {
  const all = new Map([[OTHER, Number(clicks)]])
  const labels = byList(() => all)
  return { hours: new Map([[0, Number(clicks)]]), labels }
}, 2000)

/** Counts what is missing under `rest`. */
function complete<Key>(
  counts: Map<Key, number>,
  clicks: number,
  rest: Key,
  field: () => string,
): void {
  let known = 0
  for (const count of counts.values()) known += count
  if (known > clicks) throw invalid(field(), `add up to ${known}, more than the ${clicks} clicks`)
  add(counts, rest, clicks - known)
}

function sumOf(one: HistoryDay | undefined, other: HistoryDay): HistoryDay {
  if (!one) return other
  const lists = labelLists.map((list) => [list, merged(one.labels[list], other.labels[list])])
  return {
    day: one.day,
    clicks: one.clicks + other.clicks,
    hours: merged(one.hours, other.hours),
    labels: Object.fromEntries(lists) as HistoryDay['labels'],
  }
}

function merged<Key>(one: ReadonlyMap<Key, number>, other: ReadonlyMap<Key, number>) {
  const sum = new Map(one)
  for (const [key, count] of other) add(sum, key, count)
  return sum
}

function add<Key>(counts: Map<Key, number>, key: Key, count: number): void {
  if (count > 0) counts.set(key, (counts.get(key) ?? 0) + count)
}

/** A link keeps only so many labels of a kind apart; the others are `Other`. */
function createLabelBound() {
  const seen = new Map<LabelList, Set<string>>()
  return (list: LabelList, name: string): string => {
    const label = list === 'countries' ? countryOf(name) : labelOf(name)
    const known = seen.get(list) ?? new Set()
    seen.set(list, known)
    if (known.size >= MAX_LABELS && !known.has(label)) return OTHER
    known.add(label)
    return label
  }
}

function labelOf(name: string): string {
  return name.replaceAll('\0', '').toWellFormed().trim().slice(0, LONGEST_LABEL) || 'Unknown'
}

/** Countries by their everyday names, also where a source has codes. */
const countryOf = memo((name: string): string => {
  const code = countryCode(name)
  return code ? countryName(code) : labelOf(name)
}, 2000)

import type { LabelList } from '../../clicks/import.ts'
import { referrerHost, referrerLabel } from '../../visitors/referrer.ts'
import { parseUserAgent } from '../../visitors/user-agent.ts'
import type { DayRecord } from '../record.ts'
import { parseMoment } from './moment.ts'
import { type Fields, isObject, optional, text } from './values.ts'

/** How many counts the links that are read together may still have: what they are kept in is memory. */
export type Room = { left: number }

export const MOST_COUNTS = 500_000
/** A day takes as much room as this many counts. */
const DAY_ROOM = 10
/** The longest host name. */
const LONGEST_LABEL = 253

type Day = {
  clicks: number
  hours: Map<number, number>
  labels: Partial<Record<LabelList, Map<string, number>>>
}

/**
 * Adds visits of Shlink up by day: of each, nothing stays but its hour and its labels. Where there is
 * no room left, visits of further days and further labels of a day are left out.
 */
export function createVisitDays(room: Room = { left: MOST_COUNTS }) {
  const days = new Map<string, Day>()
  let last: string | undefined

  function add(visit: Fields): void {
    const moment = parseMoment(optional(visit, 'date', text) ?? '')
    if (!moment) return
    const at = moment.toISOString()
    if (last === undefined || at > last) last = at
    const day = dayOf(at.slice(0, 10))
    if (!day) return
    day.clicks += 1
    increase(day.hours, moment.getUTCHours(), room)
    const { browser, os, device } = parseUserAgent(optional(visit, 'userAgent', text) ?? '')
    const place = isObject(visit.visitLocation) ? visit.visitLocation : {}
    const labels: Partial<Record<LabelList, string>> = {
      countries: optional(place, 'countryCode', text) ?? 'Unknown',
      referrers: referrerLabel(referrerHost(optional(visit, 'referer', text))),
      ...{ browsers: browser, os, devices: device },
    }
    for (const [list, label] of Object.entries(labels) as [LabelList, string][]) {
      const counts = day.labels[list] ?? new Map()
      day.labels[list] = counts
      increase(counts, cut(label), room)
    }
  }

  function dayOf(name: string): Day | undefined {
    const known = days.get(name)
    if (known || room.left < DAY_ROOM) return known
    room.left -= DAY_ROOM
    const day: Day = { clicks: 0, hours: new Map(), labels: {} }
    days.set(name, day)
    return day
  }

  /** What has been added, as a record has it. */
  function history(): { days: DayRecord[]; lastClickAt?: string } {
    const list = [...days].map(([day, own]) => ({ day, ...own }))
    return { days: list, ...(last && { lastClickAt: last }) }
  }

  return { add, history }
}

function increase<Key>(counts: Map<Key, number>, key: Key, room: Room): void {
  const before = counts.get(key)
  if (before === undefined) {
    if (room.left < 1) return
    room.left -= 1
  }
  counts.set(key, (before ?? 0) + 1)
}

/** A copy: V8's slice would keep the whole text, such as a referrer's address, for as long. */
function cut(label: string): string {
  return Buffer.from(label.slice(0, LONGEST_LABEL), 'utf16le').toString('utf16le')
}

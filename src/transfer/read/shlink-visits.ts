import { referrerHost, referrerLabel } from '../../visitors/referrer.ts'
import { parseUserAgent } from '../../visitors/user-agent.ts'
import type { DayRecord, LabelList } from '../record.ts'
import { parseMoment } from './moment.ts'
import { type Fields, isObject, optional, text } from './values.ts'

type Day = {
  clicks: number
  hours: Map<number, number>
  labels: Partial<Record<LabelList, Map<string, number>>>
}

/** Adds visits of Shlink up by day: of each, nothing stays but its hour and its labels. */
export function createVisitDays() {
  const days = new Map<string, Day>()
  let last: string | undefined

  function add(visit: Fields): void {
    const moment = parseMoment(optional(visit, 'date', text) ?? '')
    if (!moment) return
    const at = moment.toISOString()
    if (last === undefined || at > last) last = at
    const day: Day = days.get(at.slice(0, 10)) ?? { clicks: 0, hours: new Map(), labels: {} }
    days.set(at.slice(0, 10), day)
    day.clicks += 1
    increase(day.hours, moment.getUTCHours())
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
      increase(counts, label)
    }
  }

  /** What has been added, as a record has it. */
  function history(): { days: DayRecord[]; lastClickAt?: string } {
    const list = [...days].map(([day, own]) => ({ day, ...own }))
    return { days: list, ...(last && { lastClickAt: last }) }
  }

  return { add, history }
}

function increase<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

import type { Db } from '../../db/pool.ts'
import { unpackInto } from '../encoding/label-counts.ts'
import { NEW_VISITORS } from '../encoding/packed-hours.ts'
import { eachClick } from '../encoding/raw-clicks.ts'
import { readRawClicks } from '../storage/raw-clicks.queries.ts'
import { clicksOfLinks, daysOfLinks } from './periods.queries.ts'
import { chunks } from './periods.ts'

const DAY = 86_400_000
const HOUR = 3_600_000

/** Milliseconds since 1970; `until` is not part of it. */
type Span = { from: number; until: number }

/** An hour that the span cuts in two, with the clicks of a link in all of it and on its day. */
type CutHour = { linkId: number; at: number; clicks: number; ofDay: number }

/**
 * Returns the clicks of links within a span, without links that have none. Hours that the span cuts in two
 * are counted by raw clicks, at most `mostRaw`; without those, they count where they begin.
 */
export async function readLinkClicks(
  db: Db,
  linkIds: readonly number[],
  { from, until }: Span,
  mostRaw: number,
): Promise<Map<number, number>> {
  const [first, last] = [Math.ceil(from / DAY), Math.floor(until / DAY) - 1]
  const cutDays = new Set(
    [from, until].flatMap((at) => (at % DAY === 0 ? [] : Math.floor(at / DAY))),
  )
  const found = new Map<number, number>()
  const cutHours: CutHour[] = []
  const add = (linkId: number, clicks: number) => {
    if (clicks > 0) found.set(linkId, (found.get(linkId) ?? 0) + clicks)
  }
  for (const some of chunks(linkIds)) {
    if (first <= last) {
      const whole = { from: first, to: last, interval: 'day' as const }
      for (const { link_id, clicks } of await clicksOfLinks(db, some, whole)) add(link_id, clicks)
    }
    for (const day of cutDays) {
      const cut = { from: day, to: day, interval: 'hour' as const }
      for (const { link_id: linkId, clicks: ofDay, hours } of await daysOfLinks(db, some, cut, {
        labels: false,
      })) {
        for (const [at, clicks] of clicksByHour(hours, day)) {
          if (at + HOUR <= from || at >= until) continue
          if (at >= from && at + HOUR <= until) add(linkId, clicks)
          else cutHours.push({ linkId, at, clicks, ofDay })
        }
      }
    }
  }
  for (const [linkId, clicks] of await readCutHours(db, cutHours, { from, until }, mostRaw)) {
    add(linkId, clicks)
  }
  return found
}

async function readCutHours(
  db: Db,
  cutHours: readonly CutHour[],
  { from, until }: Span,
  mostRaw: number,
): Promise<Map<number, number>> {
  const found = new Map<number, number>()
  /** Clicks that have no raw click, by their link and hour. */
  const rest = new Map<string, CutHour>()
  const clicksOfDay = new Map<number, number>()
  let sum = 0
  for (const cut of cutHours) {
    rest.set(`${cut.linkId} ${cut.at}`, { ...cut })
    const day = Math.floor(cut.at / DAY)
    clicksOfDay.set(day, (clicksOfDay.get(day) ?? 0) + cut.ofDay)
    sum += cut.ofDay
  }
  if (sum > 0 && sum <= mostRaw) {
    const linkIds = [...new Set(cutHours.map(({ linkId }) => linkId))]
    for await (const blocks of readRawClicks(db, { linkIds, clicksOfDay })) {
      eachClick(blocks, ({ linkId, at, crawler }) => {
        const cut = rest.get(`${linkId} ${Math.floor(at / HOUR) * HOUR}`)
        if (crawler || !cut) return
        cut.clicks -= 1
        if (at >= from && at < until) found.set(linkId, (found.get(linkId) ?? 0) + 1)
      })
    }
  }
  for (const { linkId, at, clicks } of rest.values()) {
    if (at >= from && clicks > 0) found.set(linkId, (found.get(linkId) ?? 0) + clicks)
  }
  return found
}

function* clicksByHour(hours: Buffer | undefined, day: number): Generator<[number, number], void> {
  const counts = new Map<number, number>()
  if (hours) unpackInto(hours, counts)
  for (const [hour, clicks] of counts) {
    if (hour < NEW_VISITORS) yield [day * DAY + hour * HOUR, clicks]
  }
}

import type { Db } from '../../db/pool.ts'
import { visitRawClicks } from '../storage/visit-raw-clicks.ts'
import { createDaySplitter } from './day-splitter.ts'
import { readClicksOfLinks, readDaysOfLinks } from './periods.queries.ts'
import { splitIntoChunks } from './periods.ts'

const DAY_MS = 86_400_000

/** Milliseconds since 1970. `until` is exclusive. */
type Span = { from: number; until: number }

/**
 * Returns the clicks of links in a span. Omits links without clicks. Hours that are only partly in
 * the span are counted from raw clicks, if the days of these hours have at most `maxRaw` clicks.
 * Without raw clicks, such an hour counts in full if it starts in the span.
 */
export async function readLinkClicks(
  db: Db,
  linkIds: readonly number[],
  { from, until }: Span,
  maxRaw: number,
): Promise<Map<number, number>> {
  const clicksOfLink = new Map<number, number>()
  const add = (linkId: number, clicks: number) => {
    if (clicks > 0) clicksOfLink.set(linkId, (clicksOfLink.get(linkId) ?? 0) + clicks)
  }
  const splitter = createDaySplitter([{ start: '', from, until }], (step, { clicks }, linkId) => {
    if (step === 0) add(linkId, clicks)
  })
  const first = Math.ceil(from / DAY_MS)
  const last = Math.floor(until / DAY_MS) - 1
  const cutDays = new Set(
    [from, until].flatMap((at) => (at % DAY_MS === 0 ? [] : Math.floor(at / DAY_MS))),
  )
  for (const chunk of splitIntoChunks(linkIds)) {
    if (first <= last) {
      const wholeDays = { from: first, to: last, interval: 'day' as const }
      for (const { link_id, clicks } of await readClicksOfLinks(db, chunk, wholeDays))
        add(link_id, clicks)
    }
    for (const day of cutDays) {
      const cutDay = { from: day, to: day, interval: 'hour' as const }
      const rows = await readDaysOfLinks(db, chunk, cutDay, { labels: false })
      for (const row of rows) splitter.addDay(row, row.link_id)
    }
  }
  const clicksOfDay = splitter.clicksOfCutDays
  const raw = [...clicksOfDay.values()].reduce((sum, clicks) => sum + clicks, 0)
  if (raw > 0 && raw <= maxRaw) {
    await visitRawClicks(db, { linkIds: [...splitter.listCutOwners()], clicksOfDay }, (click) =>
      splitter.addClick(click, click.linkId),
    )
  }
  splitter.addRemaining()
  return clicksOfLink
}

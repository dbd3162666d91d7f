import type { Batch } from './batch.ts'
import { countLabels, type Labels } from './batch-labels.ts'
import { findDistinctVisitors, type Visitors } from './batch-visitors.ts'
import { type Days, splitDays, startsOfLinks } from './days.ts'
import { type Grouped, groupByLink } from './group.ts'

/** The amounts that one batch adds to each table. Each list is in primary key order. */
export type Rollup = {
  /** All visited links. Links visited only by crawlers have 0 clicks. */
  totals: { link: Float64Array; clicks: Float64Array; lastAt: Float64Array }
  details: Details
  /** The batch's clicks, including crawlers, grouped by link. */
  grouped: Grouped
}

/**
 * All links with human clicks, with their days and visitors. They are stored as columns, because a
 * batch has tens of thousands of links, most of them with only one or two clicks.
 */
export type Details = Visitors &
  Labels & {
    link: Float64Array
    /** The start of each link's days, followed by the end of the last link's days. */
    dayStarts: Uint32Array
    days: Days
    /** The link of each day. */
    dayLink: Float64Array
  }

/**
 * Adds up the human clicks in a batch. Skips links that are not in `existing`. `labelIds` maps the
 * batch's names to label numbers. Awaits `pause` every few milliseconds.
 */
export async function rollUp(
  batch: Pick<Batch, 'columns' | 'links'>,
  labelIds: ArrayLike<number>,
  existing: { has(linkId: number): boolean },
  pause: () => Promise<void>,
): Promise<Rollup> {
  const grouped = groupByLink(batch, existing)
  const { links } = grouped
  await pause()
  const totals = countTotals(grouped)
  const days = splitDays(grouped)
  await pause()
  const labels = await countLabels(grouped, days, labelIds, pause)
  await pause()
  const dayStarts = startsOfLinks(days)
  const visitors = findDistinctVisitors(grouped, days, dayStarts)
  const dayLink = Float64Array.from(days.link, (position) => links[position] as number)
  const link = Float64Array.from(dayStarts.subarray(0, -1), (day) => dayLink[day] as number)
  return { totals, details: { link, dayStarts, days, dayLink, ...labels, ...visitors }, grouped }
}

function countTotals({ links, clicks: { at, crawler }, starts }: Grouped): Rollup['totals'] {
  const clicks = new Float64Array(links.length)
  const lastAt = new Float64Array(links.length)
  for (let position = 0; position < links.length; position += 1) {
    let count = 0
    let last = 0
    const end = starts[position + 1] as number
    for (let index = starts[position] as number; index < end; index += 1) {
      if (crawler[index] === 1) continue
      count += 1
      last = Math.max(last, at[index] as number)
    }
    clicks[position] = count
    lastAt[position] = last
  }
  return { link: links, clicks, lastAt }
}

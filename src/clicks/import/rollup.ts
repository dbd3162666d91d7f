import type { Batch } from './batch.ts'
import { countLabels, type Labels } from './batch-labels.ts'
import { distinctVisitors, type Visitors } from './batch-visitors.ts'
import { type Days, splitDays, startsOfLinks } from './days.ts'
import { type Grouped, groupByLink } from './group.ts'

/** What one batch adds to each table, every list in the order of its table's key. */
export type Rollup = {
  /** Every link that was visited, also those that only crawlers visited, with no clicks then. */
  totals: { link: Float64Array; clicks: Float64Array; lastAt: Float64Array }
  details: Details
  /** The batch's clicks, crawlers included, link by link. */
  grouped: Grouped
}

/**
 * Every link that people visited, with its days and its visitors. These are columns and not objects,
 * since there are tens of thousands of links in a batch, nearly all of them with a click or two.
 */
export type Details = Visitors &
  Labels & {
    link: Float64Array
    /** Where the days of each link begin, and where the last ones end. */
    dayStarts: Uint32Array
    days: Days
    /** The link of each day. */
    dayLink: Float64Array
  }

/**
 * Adds up the clicks of people in a batch, leaving out links that are not in `alive`. `labelIds`
 * tells the number of each of the batch's names. `pause` is awaited every few milliseconds.
 */
export async function rollUp(
  batch: Pick<Batch, 'columns' | 'links'>,
  labelIds: ArrayLike<number>,
  alive: { has(linkId: number): boolean },
  pause: () => Promise<void>,
): Promise<Rollup> {
  const grouped = groupByLink(batch, alive)
  const { links } = grouped
  await pause()
  const totals = totalsOf(grouped)
  const days = splitDays(grouped)
  await pause()
  const labels = await countLabels(grouped, days, labelIds, pause)
  await pause()
  const dayStarts = startsOfLinks(days)
  const visitors = distinctVisitors(grouped, days, dayStarts)
  const dayLink = Float64Array.from(days.link, (position) => links[position] as number)
  const link = Float64Array.from(dayStarts.subarray(0, -1), (day) => dayLink[day] as number)
  return { totals, details: { link, dayStarts, days, dayLink, ...labels, ...visitors }, grouped }
}

function totalsOf({ links, clicks: { at, crawler }, starts }: Grouped): Rollup['totals'] {
  const clicks = new Float64Array(links.length)
  const lastAt = new Float64Array(links.length)
  for (let position = 0; position < links.length; position += 1) {
    let [count, last] = [0, 0]
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

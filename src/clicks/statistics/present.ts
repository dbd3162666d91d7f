import type { Db } from '../../db/pool.ts'
import { getLanguageName } from '../../visitors/language.ts'
import { byList, type LabelList, listedKinds } from '../encoding/label-kinds.ts'
import type { Sums, TimelineStep } from './period-sums.ts'
import { readLabelNames } from './periods.queries.ts'
import { type LabelClicks, topLabels } from './top-labels.ts'

/**
 * The statistics of a period. Each list that is not partial adds up to `clicks`. If a list was
 * shortened, it has an entry `Other`.
 */
export type PeriodStatistics = {
  clicks: number
  newVisitors: number
  timeline: TimelineStep[]
} & Record<LabelList, LabelClicks[]>

/**
 * Adds names to the most clicked labels, at most `limit` of each kind, and their clicks in the
 * compared period.
 */
export async function toPeriodStatistics(
  db: Db,
  sums: Sums,
  limit: number,
  compared?: Sums,
): Promise<PeriodStatistics> {
  const { totals, timeline } = sums
  const lists = byList((): LabelClicks[] => [])
  for (const { name, number, list, codec, isPartial } of listedKinds) {
    const findNames = async (labels: Iterable<number>): Promise<ReadonlyMap<number, string>> => {
      if (!codec) return readLabelNames(db, labels)
      const nameOf = name === 'language' ? getLanguageName : (label: string) => label
      return new Map(Array.from(labels, (label) => [label, nameOf(codec.labelOf(label))]))
    }
    const labelsOf = (from: Sums) => {
      const labels = from.labelsOf(number)
      return isPartial ? withoutUnlabeled(labels) : { labels, clicks: from.totals.clicks }
    }
    const { labels, clicks } = labelsOf(sums)
    lists[list] = await topLabels(labels, clicks, limit, findNames, compared && labelsOf(compared))
  }
  return { ...totals, timeline, ...lists }
}

/** Returns the labels and their clicks. Omits label 0, which stands for none. */
function withoutUnlabeled(all: ReadonlyMap<number, number>) {
  const labels = new Map([...all].filter(([label]) => label !== 0))
  return { labels, clicks: [...labels.values()].reduce((sum, clicks) => sum + clicks, 0) }
}

import type { FairQueue } from '../../concurrency/fair-queue.ts'
import type { Db } from '../../db/pool.ts'
import { inTransaction, SNAPSHOT } from '../../db/transaction.ts'
import { invalid } from '../../errors.ts'
import type { AccountScope } from '../../scope.ts'
import { firstDay, oldestMonth, startOfMonth } from '../storage/months.ts'
import { listRemovedLinks } from '../storage/removed-links.queries.ts'
import { visitRawClicks } from '../storage/visit-raw-clicks.ts'
import { type ComparisonName, resolveComparedPeriod } from './compared-period.ts'
import { type LabelFilters, resolveFilters } from './label-filters.ts'
import { readLinkClicks } from './link-clicks.ts'
import { type NotCounted, readNotCounted } from './not-counted.ts'
import { formatDay, type Period } from './period.ts'
import type { Span } from './period-choice.ts'
import type { Sums, TimelineStep } from './period-sums.ts'
import {
  type LinkClicks,
  readAccountDays,
  readPeriodSums,
  selectListedCandidates,
  selectListedLinks,
} from './periods.ts'
import { type PeriodStatistics, toPeriodStatistics } from './present.ts'
import { createRawSums } from './raw-sums.ts'
import type { ClickScope } from './scope.ts'
import { listZonedSteps, startOfDay, UTC, type ZonedStep } from './zone.ts'
import { readZonedSums } from './zoned-sums.ts'

type Context = {
  clock: () => Date
  config: { clickRetentionDays: number }
  /** Limits how many reads of raw clicks run at a time, in total and per account. */
  rawReads: FairQueue
}

export type ViewInput = {
  scope: ClickScope
  period: Period
  /** The time zone in which the period's days start. */
  zone: string
  filters: LabelFilters
  compare: ComparisonName | Span | undefined
  /** The maximum number of labels and links per list. */
  limit: number
  /** Whether to use a separate queue, so that readers of a shared page do not delay the account. */
  isShared?: boolean
}

export type StatisticsView = Omit<PeriodStatistics, 'timeline'> & {
  timeline: (TimelineStep & { comparison?: TimelineStep | null })[]
  /** The most clicked links, without those behind QR codes and bio pages. */
  links: (LinkClicks & { comparison?: number })[]
  /** The compared period. */
  comparison?: {
    from: string
    to: string
    clicks: number
    newVisitors: number
    /** Its clicks that have no raw clicks, if filters count only clicks that have them. */
    unmatchableClicks?: number
  }
  /** The visits that do not count as clicks. Filters do not apply to them, so they omit them. */
  notCounted?: NotCounted
  /** Whether only clicks that pass filters are counted. */
  filtered?: true
  /** The period's clicks that have no raw clicks: imported clicks, and clicks of deleted links. */
  unmatchableClicks?: number
  /** Whether some clicks may be assigned to the wrong step, for lack of raw clicks. */
  approximate?: true
}

/**
 * The counts of one period. `links` returns the clicks of the links that may be listed, and
 * `linkClicks` those of the given links.
 */
type PeriodCounts = {
  sums: Sums
  links: () => Promise<ReadonlyMap<number, number>>
  linkClicks: (linkIds: readonly number[]) => Promise<ReadonlyMap<number, number>>
  unmatchableClicks?: number
  approximate?: true
}

const DAY_MS = 86_400_000
/** The maximum number of raw clicks per request and per day. A day is read as a whole. */
const MAX_RAW_CLICKS = 20_000_000
const MAX_RAW_CLICKS_PER_DAY = 5_000_000
/**
 * The maximum number of deleted links to exclude. The importer deletes their clicks within minutes.
 */
const MAX_REMOVED_LINKS = 1_000_000

/**
 * Reads the statistics of a period, from sums or, if there are filters, from raw clicks.
 *
 * @throws AppError `invalid_input` naming the parameter if the required raw clicks are not stored
 * or too many, or if the compared period starts before 1970; `busy` if too many reads are waiting
 */
export async function readStatistics(
  ctx: Context,
  db: Db,
  input: ViewInput,
): Promise<StatisticsView> {
  const { compare, filters, period, scope, zone } = input
  const comparedPeriod =
    typeof compare === 'object'
      ? { ...compare, interval: period.interval }
      : compare && resolveComparedPeriod(period, compare)
  const isFiltered = Object.keys(filters).length > 0
  if (isFiltered) {
    requireRawClicks(ctx, 'from', period, zone)
    if (comparedPeriod) requireRawClicks(ctx, 'compare', comparedPeriod, zone)
  }
  if (!isFiltered && zone === UTC) return readView(db, input, comparedPeriod)
  const reader = input.isShared ? `shared ${scope.accountId}` : scope.accountId
  return ctx.rawReads.run(reader, () =>
    inTransaction(db, (tx) => readView(tx, input, comparedPeriod), SNAPSHOT),
  )
}

/** Returns the first day, since 1970, for which filters can be used. */
export function firstFilteredDay({ clock, config }: Context, zone: string): number {
  const start = startOfMonth(oldestMonth(clock(), config.clickRetentionDays))
  const day = start / DAY_MS
  return startOfDay(zone, day) >= start ? day : day + 1
}

async function readView(
  db: Db,
  input: ViewInput,
  comparedPeriod: Period | undefined,
): Promise<StatisticsView> {
  const { limit } = input
  const current = await countPeriod(db, input, input.period)
  const compared = comparedPeriod && (await countPeriod(db, input, comparedPeriod))
  const { timeline, ...statistics } = await toPeriodStatistics(
    db,
    current.sums,
    limit,
    compared?.sums,
  )
  const links = await selectMostClicked(
    { db, accountId: input.scope.accountId },
    await current.links(),
    limit,
  )
  const comparedClicks = await compared?.linkClicks(links.map(({ linkId }) => linkId))
  const steps = compared?.sums.timeline
  const isFiltered = current.unmatchableClicks !== undefined
  return {
    ...statistics,
    timeline: steps
      ? timeline.map((step, index) => {
          const comparison = steps[index] ?? null
          return { ...step, comparison } satisfies StatisticsView['timeline'][number]
        })
      : timeline,
    links: comparedClicks
      ? links.map((each) => {
          const comparison = comparedClicks.get(each.linkId) ?? 0
          return { ...each, comparison } satisfies StatisticsView['links'][number]
        })
      : links,
    ...(comparedPeriod &&
      compared && {
        comparison: {
          from: formatDay(comparedPeriod.from),
          to: formatDay(comparedPeriod.to),
          ...compared.sums.totals,
          ...(compared.unmatchableClicks && { unmatchableClicks: compared.unmatchableClicks }),
        },
      }),
    ...(isFiltered
      ? { filtered: true as const, unmatchableClicks: current.unmatchableClicks }
      : { notCounted: await readNotCounted(db, input.scope, input.period, limit) }),
    ...((current.approximate || compared?.approximate) && { approximate: true as const }),
  }
}

async function countPeriod(db: Db, input: ViewInput, period: Period): Promise<PeriodCounts> {
  const steps = listZonedSteps(period, input.zone)
  if (Object.keys(input.filters).length > 0) return countFiltered(db, input, steps)
  const { scope, zone } = input
  const span = { from: steps[0]?.from ?? 0, until: steps.at(-1)?.until ?? 0 }
  const linkClicks = (ids: readonly number[]) => readLinkClicks(db, ids, span, MAX_RAW_CLICKS)
  const linksOf = (candidates: ReadonlyMap<number, number>) => async () =>
    linkClicks(
      scope.linkIds ?? (await selectListedCandidates({ ...scope, db }, candidates, input.limit)),
    )
  if (zone !== UTC) {
    const sums = await readZonedSums(db, scope, steps, { maxRaw: MAX_RAW_CLICKS })
    const approximate = sums.isApproximate && { approximate: true as const }
    return { sums, linkClicks, links: linksOf(sums.candidates), ...approximate }
  }
  const { sums, candidates } = scope.linkIds
    ? { sums: await readPeriodSums(db, scope.linkIds, period), candidates: new Map() }
    : await readAccountDays({ ...scope, db }, period)
  return { sums, linkClicks, links: linksOf(candidates) }
}

/** Counts the raw clicks that pass the filters. */
async function countFiltered(
  db: Db,
  { scope, filters }: ViewInput,
  steps: readonly ZonedStep[],
): Promise<PeriodCounts> {
  // Counts all clicks, to check the limits and to determine how many clicks have no raw clicks.
  const all = await readZonedSums(db, scope, steps, { maxRaw: -1, withLabels: false })
  requireFewClicks([...all.clicksOfDay.values()])
  const numberedFilters = await resolveFilters(db, filters)
  // Clicks of deleted links appear in no list, although they may still be stored.
  const removed = new Set(
    scope.linkIds ? [] : await listRemovedLinks(db, { limit: MAX_REMOVED_LINKS }),
  )
  const sums = createRawSums(steps, numberedFilters, (linkId) => !removed.has(linkId))
  await visitRawClicks(db, { ...scope, clicksOfDay: all.clicksOfDay }, sums.add)
  const links = async () => sums.links()
  const unmatchableClicks = Math.max(0, all.totals.clicks - sums.countedBeforeFilters())
  return { sums, links, linkClicks: links, unmatchableClicks }
}

function requireRawClicks({ clock, config }: Context, field: string, period: Period, zone: string) {
  const oldest = oldestMonth(clock(), config.clickRetentionDays)
  const [first] = listZonedSteps({ ...period, interval: 'month' }, zone)
  if ((first?.from ?? 0) >= startOfMonth(oldest)) return
  const day = firstDay(oldest)
  throw invalid(field, field === 'from' ? 'too_early' : 'goes_back_too_far', { day })
}

function requireFewClicks(clicksOfDay: readonly number[]): void {
  const sum = clicksOfDay.reduce((total, clicks) => total + clicks, 0)
  if (sum <= MAX_RAW_CLICKS && clicksOfDay.every((clicks) => clicks <= MAX_RAW_CLICKS_PER_DAY))
    return
  const limit = MAX_RAW_CLICKS.toLocaleString('en-US')
  throw invalid('from', 'filters_too_early', { max: limit })
}

/** Returns the most clicked listed links, with their clicks. */
async function selectMostClicked(
  scope: AccountScope,
  clicks: ReadonlyMap<number, number>,
  limit: number,
): Promise<LinkClicks[]> {
  const sorted = [...clicks]
    .map(([linkId, count]) => ({ linkId, count }))
    .sort((a, b) => b.count - a.count || b.linkId - a.linkId)
    .map(({ linkId }) => linkId)
  const top = await selectListedLinks(scope, sorted, limit)
  return top.map((linkId) => ({ linkId, clicks: clicks.get(linkId) ?? 0 }))
}

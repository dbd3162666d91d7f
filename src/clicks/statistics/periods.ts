import type { Db } from '../../db/pool.ts'
import { unpackInto } from '../encoding/label-counts.ts'
import { findRemoved } from '../storage/removed-links.queries.ts'
import type { Period } from './period.ts'
import { createPeriodSums, type PeriodSums } from './period-sums.ts'
import {
  accountDays,
  clicksByDay,
  clicksOfAccount,
  clicksOfImports,
  clicksOfLinks,
  daysOfLinks,
  type ImportedClicks,
  outermostDays,
} from './periods.queries.ts'
import { type PeriodStatistics, present } from './present.ts'

/** Without what visitors were. */
type Counts = Pick<PeriodStatistics, 'clicks' | 'newVisitors' | 'timeline'>

export type LinkClicks = { linkId: number; clicks: number }

export type Periods = ReturnType<typeof createPeriods>

/** Links whose days are read by one statement. */
const AT_ONCE = 500
/** Links that are looked at for each one that is asked for, where an account has too many for all. */
const CANDIDATES = 4
const FEWEST_CANDIDATES = 500

/** Statistics over time, from days that the importer keeps: their cost does not grow with the clicks. */
export function createPeriods({ db }: { db: Db }) {
  /** What happened to one link; `limit` labels of each kind at most. */
  const forLink = (linkId: number, period: Period, limit: number): Promise<PeriodStatistics> =>
    together([linkId], period, limit)

  /** What happened to several links together. */
  async function together(
    linkIds: readonly number[],
    period: Period,
    limit: number,
  ): Promise<PeriodStatistics> {
    return present(db, await sumOf(linkIds, period), limit)
  }

  /** How often links were clicked, and by how many new visitors, without saying who they were. */
  async function countsOf(linkIds: readonly number[], period: Period): Promise<Counts> {
    const sums = await sumOf(linkIds, period, { labels: false })
    return { ...sums.totals, timeline: sums.timeline }
  }

  /** The first and the last day on which any of some links was clicked; undefined if none ever was. */
  async function daysClicked(
    linkIds: readonly number[],
  ): Promise<{ first: number; last: number } | undefined> {
    let days: { first: number; last: number } | undefined
    for (const some of chunks(linkIds)) {
      const found = await outermostDays(db, some)
      if (!found) continue
      days = {
        first: Math.min(found.first, days?.first ?? found.first),
        last: Math.max(found.last, days?.last ?? found.last),
      }
    }
    return days
  }

  /** How many clicks of links came with imports, and between which days; undefined for none. */
  async function importedClicks(linkIds: readonly number[]): Promise<ImportedClicks | undefined> {
    let all: ImportedClicks | undefined
    for (const some of chunks(linkIds)) {
      const found = await clicksOfImports(db, some)
      if (!found) continue
      all = {
        clicks: found.clicks + (all?.clicks ?? 0),
        from: Math.min(found.from, all?.from ?? found.from),
        to: Math.max(found.to, all?.to ?? found.to),
      }
    }
    return all
  }

  /** What happened to several links together, and which of them were clicked most. */
  async function forLinks(
    linkIds: readonly number[],
    period: Period,
    limit: number,
  ): Promise<PeriodStatistics & { links: LinkClicks[] }> {
    const found = await together(linkIds, period, limit)
    return { ...found, links: await mostClicked(linkIds, period, limit) }
  }

  /**
   * The same of a whole account, also of links and codes that it has deleted since. The links are
   * counted exactly; that none is overlooked is certain where days have no more than some hundred.
   */
  async function forAccount(
    accountId: number,
    period: Period,
    limit: number,
  ): Promise<PeriodStatistics & { links: LinkClicks[] }> {
    const { sums, candidates } = await daysOfAccount(accountId, period)
    const links = await mostClickedOf(candidates, period, limit)
    return { ...(await present(db, sums, limit)), links }
  }

  /** How often an account was clicked, and which of its links were most, without saying by whom. */
  async function countsOfAccount(
    accountId: number,
    period: Period,
    limit: number,
  ): Promise<Counts & { links: LinkClicks[] }> {
    const { sums, candidates } = await daysOfAccount(accountId, period, { labels: false })
    const links = limit === 0 ? [] : await mostClickedOf(candidates, period, limit)
    return { ...sums.totals, timeline: sums.timeline, links }
  }

  async function daysOfAccount(
    accountId: number,
    period: Period,
    parts?: { labels: boolean },
  ): Promise<{ sums: PeriodSums; candidates: ReadonlyMap<number, number> }> {
    const sums = createPeriodSums(period)
    const candidates = new Map<number, number>()
    for (const row of await accountDays(db, accountId, period, parts)) {
      sums.add(row)
      unpackInto(row.links, candidates)
    }
    return { sums, candidates }
  }

  /** Counts the most promising of an account's candidates, without those that have been deleted. */
  async function mostClickedOf(
    candidates: ReadonlyMap<number, number>,
    period: Period,
    limit: number,
  ): Promise<LinkClicks[]> {
    return mostClicked(await likelyLinks(candidates, limit), period, limit)
  }

  /** The most promising of an account's candidates. */
  async function likelyLinks(
    candidates: ReadonlyMap<number, number>,
    limit: number,
  ): Promise<number[]> {
    const removed = await findRemoved(db, [...candidates.keys()])
    return [...candidates]
      .filter(([linkId]) => !removed.has(linkId))
      .sort(([, a], [, b]) => b - a)
      .slice(0, Math.max(FEWEST_CANDIDATES, CANDIDATES * limit))
      .map(([linkId]) => linkId)
  }

  async function sumOf(
    linkIds: readonly number[],
    period: Period,
    options: { labels?: boolean } = {},
  ): Promise<PeriodSums> {
    const sums = createPeriodSums(period)
    for (const some of chunks(linkIds)) {
      for (const row of await daysOfLinks(db, some, period, options)) sums.add(row)
    }
    return sums
  }

  /** Which of some links were clicked most within a period; those without clicks are left out. */
  async function mostClicked(
    linkIds: readonly number[],
    period: Period,
    limit: number,
  ): Promise<LinkClicks[]> {
    const found: LinkClicks[] = []
    for (const some of chunks(linkIds)) {
      const rows = await clicksOfLinks(db, some, period)
      found.push(...rows.map(({ link_id, clicks }) => ({ linkId: link_id, clicks })))
    }
    return found.sort((a, b) => b.clicks - a.clicks || b.linkId - a.linkId).slice(0, limit)
  }

  return {
    forLink,
    together,
    countsOf,
    daysClicked,
    importedClicks,
    mostClicked,

    /** The clicks of each day of a period, for each of several links: a list as long as the period. */
    async dailyClicks(
      linkIds: readonly number[],
      { from, to }: Pick<Period, 'from' | 'to'>,
    ): Promise<ReadonlyMap<number, number[]>> {
      const days = new Map(linkIds.map((id) => [id, Array<number>(to - from + 1).fill(0)]))
      const rows = linkIds.length > 0 ? await clicksByDay(db, linkIds, { from, to }) : []
      for (const { link_id, day, clicks } of rows) days.get(link_id)?.splice(day - from, 1, clicks)
      return days
    },

    forLinks,
    forAccount,
    sumOf,
    daysOfAccount,
    likelyLinks,
    countsOfAccount,
    /** All clicks that an account's links and codes ever had, those of deleted ones too. */
    clicksOfAccount: (accountId: number): Promise<number> => clicksOfAccount(db, accountId),
  }
}

export function* chunks(ids: readonly number[]): Generator<readonly number[]> {
  for (let start = 0; start < ids.length; start += AT_ONCE) yield ids.slice(start, start + AT_ONCE)
}

import type { HitLimits } from '../accounts/hit-limits.ts'
import { DAILY, DAY_SECONDS } from '../accounts/rate-window.queries.ts'
import type { BlockList } from '../blocked-hosts/block-list.ts'
import type { Clock } from '../clock.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { AppError, invalid } from '../errors.ts'
import { optionalText } from '../text.ts'
import {
  addReport,
  countReports,
  listReports,
  lockWaitingReport,
  settleReports,
  trimSettled,
} from './report.queries.ts'
import { type Decision, type LinkReport, REPORT_REASONS } from './report.ts'

export type Reports = ReturnType<typeof createReports>

/** What a visitor sent. */
export type ReportInput = { reason: string; text: string }

type Dependencies = {
  db: Db
  hits: Pick<HitLimits, 'count'>
  baseUrl: string
  hashAddress: (address: string) => string
  blockList: Pick<BlockList, 'current'>
  clock: Clock
}

/** Reports that one address may make in a day, and that are taken of one link in a minute. */
const [PER_ADDRESS, PER_LINK] = [20, 30]
/** The most characters of a report's text. */
export const MAX_REPORT_TEXT = 1000
/** Settled reports that are kept at most; those that are old go before. */
const SETTLED_KEPT = 1000

/** What visitors report of links, and what became of it. */
export function createReports({ db, hits, baseUrl, hashAddress, blockList, clock }: Dependencies) {
  return {
    /**
     * Keeps a visitor's report of a link. An address counts once a day for a link, and of a flood from
     * many addresses a part is enough: what is left out is answered as if it were kept.
     *
     * @throws AppError `invalid_input` naming `reason` or `text`, `rate_limited`, `not_found`
     */
    async add(linkId: number, address: string, input: ReportInput): Promise<void> {
      const reason = REPORT_REASONS.find((known) => known === input.reason)
      if (!reason) throw invalid('reason', 'must be one of those that are offered')
      const text = optionalText('text', input.text.replaceAll('\r\n', '\n'), MAX_REPORT_TEXT)
      const caller = hashAddress(address)
      const retryAfter = await hits.count(`${DAILY}report:${caller}`, PER_ADDRESS, DAY_SECONDS)
      if (retryAfter !== undefined) throw new AppError('rate_limited', undefined, { retryAfter })
      const isAgain = await hits.count(`${DAILY}report:${linkId}:${caller}`, 1, DAY_SECONDS)
      if (isAgain !== undefined) return
      if ((await hits.count(`report:${linkId}`, PER_LINK)) !== undefined) return
      const added = await addReport(db, { linkId, reason, text, at: clock() })
      if (!added) throw new AppError('not_found')
    },

    /** One page of those that wait, the most reported link first, or of those settled, the newest first. */
    list: async (which: { settled: boolean }, page: PageQuery): Promise<Page<LinkReport>> =>
      listReports(db, { baseUrl, blocked: await blockList.current() }, which, page),

    /** How many links have reports that wait. */
    countWaiting: () => countReports(db, { settled: false }),

    /** Reports that wait, for as long as the transaction lasts nobody else's. @throws AppError `not_found` */
    async take(id: number): Promise<LinkReport> {
      const blocked = await blockList.current()
      return inTransaction(db, async (tx) => {
        const report = await lockWaitingReport(tx, { baseUrl, blocked }, id)
        if (!report) throw new AppError('not_found', 'These reports have been settled already.')
        return report
      })
    },

    /** Settles all reports of the link together, and where its account is suspended those of all its links. */
    settle: ({ link, account }: LinkReport, decision: Decision, by: string): Promise<void> =>
      inTransaction(db, async (tx) => {
        const which = decision === 'suspend' ? { accountId: account.id } : { linkId: link.id }
        await settleReports(tx, which, { decision, by, at: clock() })
        await trimSettled(tx, SETTLED_KEPT)
      }),
  }
}

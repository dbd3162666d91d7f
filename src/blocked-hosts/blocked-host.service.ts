import { notify } from '../db/notify.ts'
import type { PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { AppError, invalid } from '../errors.ts'
import { optionalText } from '../text.ts'
import {
  countBlockedHosts,
  countLinksTo,
  deleteBlockedHost,
  findBlockedHost,
  listBlockedHosts,
  putBlockedHost,
} from './blocked-host.queries.ts'
import { type BlockedHost, parseBlockedHost } from './blocked-host.ts'

export type BlockedHosts = ReturnType<typeof createBlockedHosts>

type Dependencies = {
  db: Db
  /** Has this process read again what a change of a blocked host may concern. */
  invalidate: (host: string) => void
  /** Hosts that may be blocked; each process keeps all of them in memory. */
  max?: number
}

export type BlockRequest = {
  /** As `parseBlockedHost` reads it. */
  host: string
  subdomains?: boolean
  reason?: string | undefined
  /** Who does it. */
  by: string
}

/** Links that a count goes up to, and milliseconds that it may take. */
const [MOST_COUNTED, COUNTING_TIME] = [10_000, 1000]

/** The hosts that no link may lead to, for the operator. */
export function createBlockedHosts({ db, invalidate, max = 50_000 }: Dependencies) {
  async function change<T>(host: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    const result = await inTransaction(db, async (tx) => {
      await notify(tx, [{ kind: 'blocked-host', host }])
      return work(tx)
    })
    invalidate(host)
    return result
  }

  return {
    /**
     * Blocks a host: from the next second on no link leads there, and none that would is accepted. One
     * that is blocked already is blocked as is said now.
     *
     * @throws AppError `invalid_input` naming `host` or `reason`
     */
    async block({ host: given, subdomains: wanted, reason, by }: BlockRequest) {
      const { host, subdomains } = parseBlockedHost(given, wanted)
      const why = optionalText('reason', reason, 200)
      return change(host, async (tx): Promise<BlockedHost> => {
        const blocked = await putBlockedHost(tx, { host, subdomains, reason: why, by })
        if ((await countBlockedHosts(tx)) > max)
          throw invalid('host', `would be one of over ${max}`)
        return blocked
      })
    },

    /** Lets links lead there again. @throws AppError `invalid_input` naming `host`, `not_found` */
    async unblock(given: string): Promise<BlockedHost> {
      const { host } = parseBlockedHost(given)
      return change(host, async (tx) => {
        const blocked = await deleteBlockedHost(tx, host)
        if (!blocked) throw new AppError('not_found', `${host} is not blocked.`)
        return blocked
      })
    },

    /** How a host is blocked, if it is. @throws AppError `invalid_input` naming `host` */
    find: async (given: string): Promise<BlockedHost | undefined> =>
      findBlockedHost(db, parseBlockedHost(given).host),

    /** One page of those whose name contains `part`, the newest first, with the number of all of them. */
    list: (page: PageQuery, part = '') => listBlockedHosts(db, part.trim().toLowerCase(), page),

    /**
     * How many links lead to a host: `atLeast` where there are more than are counted. Undefined where
     * there are too many links to look at in a moment.
     *
     * @throws AppError `invalid_input` naming `host`
     */
    async countLinks(
      given: string,
      wantsSubdomains = false,
    ): Promise<{ count: number; atLeast: boolean } | undefined> {
      const rule = parseBlockedHost(given, wantsSubdomains)
      const limits = { max: MOST_COUNTED, patience: COUNTING_TIME }
      try {
        const count = await inTransaction(db, (tx) => countLinksTo(tx, rule, limits))
        return { count, atLeast: count === MOST_COUNTED }
      } catch (error) {
        if ((error as { code?: unknown }).code === '57014') return undefined
        throw error
      }
    },
  }
}

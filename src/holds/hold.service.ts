import type { Clock } from '../clock.ts'
import type { PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { normalizeHost } from '../domains/hosts.ts'
import { AppError } from '../errors.ts'
import type { ShortLink } from '../links/short-url.ts'
import { isAliasHeld } from './held-address.queries.ts'
import { decideHeldLink, listHeldLinks, lockHeldLink } from './held-link.queries.ts'
import type { HeldLink, HoldDecision } from './hold.ts'
import { freeHeld, freeReviewed } from './reserve.queries.ts'

export type Holds = ReturnType<typeof createHolds>

type Dependencies = { db: Db; baseUrl: string; clock: Clock }

/** What is reserved for links that an admin disabled or visitors reported, also once they are deleted. */
export function createHolds({ db, baseUrl, clock }: Dependencies) {
  return {
    /** One page of the held links, the last deleted first: of those to be decided, or of those confirmed. */
    list: (which: { confirmed: boolean }, page: PageQuery) =>
      listHeldLinks(db, baseUrl, which, page),

    /** Whether an alias is reserved for a deleted link, or for one that has another alias now. */
    isReserved({ host, alias }: ShortLink): Promise<boolean> {
      const isService = host === undefined || host === new URL(baseUrl).host
      return isAliasHeld(db, { alias, host: isService ? '' : normalizeHost(host) })
    },

    /**
     * Keeps what a held link reserves for good, or frees it, and settles the link's open reports. What was
     * confirmed may still be released.
     *
     * @throws AppError `not_found`
     */
    decide: (id: number, decision: HoldDecision, by: string): Promise<HeldLink> =>
      inTransaction(db, async (tx) => {
        const held = await lockHeldLink(tx, baseUrl, id)
        if (!held) throw new AppError('not_found', 'This link is no longer held.')
        if (decision === 'release') await freeHeld(tx, id)
        await decideHeldLink(tx, id, { decision, by, at: clock() })
        return held
      }),

    /** Frees what is reserved for links that exist and are not, or no longer, disabled or reported. */
    freeReviewed: (which: { linkId: number } | { accountId: number }): Promise<void> =>
      inTransaction(db, (tx) => freeReviewed(tx, which)),
  }
}

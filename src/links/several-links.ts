import { notify } from '../db/notify.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { invalid } from '../errors.ts'
import {
  addTags,
  countTags,
  dropUnusedTags,
  removeTags,
  tagIdsOf,
} from '../tags/link-tags.queries.ts'
import { MOST_TAGS, parseTags } from '../tags/tag.ts'
import type { LinkStatus } from './link.ts'
import type { LinkEvents } from './link-events.ts'
import { removeLinks } from './remove-links.queries.ts'
import { type LockedLink, lockLinks, setStatuses } from './several-links.queries.ts'
import type { VisitLinks } from './visit-links.ts'

type Dependencies = { db: Db; visitLinks: Pick<VisitLinks, 'invalidate'>; events: LinkEvents }

/** Links that a person picked; those that are gone or another's are passed over. */
export function createSeveralLinks({ db, visitLinks, events }: Dependencies) {
  /** Changes links in one transaction, and has every process learn of it. */
  async function change<Result>(
    accountId: number,
    ids: readonly number[],
    work: (tx: Tx, links: readonly LockedLink[]) => Promise<Result>,
  ): Promise<Result> {
    const { links, result } = await inTransaction(db, async (tx) => {
      const links = await lockLinks(tx, accountId, ids)
      const result = await work(tx, links)
      await notify(
        tx,
        links.map(({ domainId, alias }) => ({ kind: 'link', domainId, alias })),
      )
      return { links, result }
    })
    for (const { domainId, alias } of links) visitLinks.invalidate(domainId, alias)
    return result
  }

  return {
    /** Lets visitors through or not. What the operator has disabled stays so; `blocked` counts it. */
    setStatus: (
      accountId: number,
      ids: readonly number[],
      status: LinkStatus,
    ): Promise<{ count: number; blocked: number }> =>
      change(accountId, ids, async (tx, links) => {
        const own = links.filter(({ blocked }) => !blocked)
        const changed = await setStatuses(tx, idsOf(own), status)
        await events.tell(tx, accountId, 'link.updated', changed)
        return { count: own.length, blocked: links.length - own.length }
      }),

    /** Deletes links with everything counted of them, and says how many. */
    delete: (accountId: number, ids: readonly number[]): Promise<number> =>
      change(accountId, ids, async (tx, links) => {
        const tagIds = await tagIdsOf(tx, idsOf(links))
        await events.tell(tx, accountId, 'link.deleted', idsOf(links))
        await removeLinks(tx, idsOf(links))
        await dropUnusedTags(tx, tagIds)
        return links.length
      }),

    /**
     * Gives all of the links tags, and says how many links there were.
     *
     * @throws AppError `invalid_input` naming `tags`, also where a link would have too many
     */
    tag: (accountId: number, ids: readonly number[], names: readonly string[]): Promise<number> =>
      change(accountId, ids, async (tx, links) => {
        const tags = parseTags('tags', names)
        const changed = await addTags(
          tx,
          accountId,
          links.map(({ id }) => ({ linkId: id, tags })),
        )
        const most = Math.max(0, ...(await countTags(tx, idsOf(links))))
        if (most > MOST_TAGS) {
          throw invalid('tags', `would be more than ${MOST_TAGS} on one of these links`)
        }
        await events.tell(tx, accountId, 'link.updated', changed)
        return links.length
      }),

    /**
     * Takes tags off all of the links, and says how many links there were.
     *
     * @throws AppError `invalid_input` naming `tags`
     */
    untag: (accountId: number, ids: readonly number[], names: readonly string[]): Promise<number> =>
      change(accountId, ids, async (tx, links) => {
        const tags = parseTags('tags', names)
        const { tagIds, linkIds } = await removeTags(tx, idsOf(links), tags)
        await dropUnusedTags(tx, tagIds)
        await events.tell(tx, accountId, 'link.updated', linkIds)
        return links.length
      }),
  }
}

function idsOf(links: readonly LockedLink[]): number[] {
  return links.map(({ id }) => id)
}

import type { Quota } from '../accounts/quota.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { createLinkStore, type StoredLink, type StoreResult } from './create-links.ts'
import type { LinkEvents } from './link-events.ts'
import type { Draft, PreparedLink } from './prepare-links.ts'
import { shortUrlOf } from './short-url.ts'
import type { VisitLinks } from './visit-links.ts'

export type CreatedLink = {
  id: number
  alias: string
  shortUrl: string
  url: string
  createdAt: Date
}

type Dependencies = {
  db: Db
  visitLinks: Pick<VisitLinks, 'invalidate'>
  quota: Quota
  events: LinkEvents
}

/**
 * Makes the links that were prepared by as few statements as they allow, and says of each, in their
 * order, what became of it: rejected with `alias_taken` or `too_many_links`, or with what it was
 * rejected with before. Throws what concerns all of them.
 */
export function createPreparedLinks({ db, visitLinks, quota, events }: Dependencies) {
  const store = createLinkStore(db)

  return async function createPrepared(
    accountId: number,
    prepared: readonly PreparedLink[],
  ): Promise<PromiseSettledResult<CreatedLink>[]> {
    const drafts = prepared.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
    const stored = (drafts.length > 0 ? await storeWithin(accountId, drafts) : []).values()
    return prepared.map((each) => {
      if (each.status === 'rejected') return each
      const result = stored.next().value ?? { status: 'rejected', reason: new AppError('internal') }
      if (result.status === 'rejected') return result
      return { status: 'fulfilled', value: finish(each.value, result.value) }
    })
  }

  /** Stores as many as the account may still have, the first of them; the others are rejected. */
  function storeWithin(accountId: number, drafts: readonly Draft[]): Promise<StoreResult[]> {
    return quota.use(db, accountId, drafts.length, async (allowed) => {
      const stored = allowed > 0 ? await storeAndTell(accountId, drafts.slice(0, allowed)) : []
      const rejected = drafts
        .slice(allowed)
        .map((): StoreResult => ({ status: 'rejected', reason: new AppError('too_many_links') }))
      return [...stored, ...rejected]
    })
  }

  /** Only where somebody is to be told of it do new links need a transaction of their own. */
  async function storeAndTell(accountId: number, drafts: readonly Draft[]): Promise<StoreResult[]> {
    if (!(await events.areWanted(db, accountId, 'link.created'))) return store(accountId, drafts)
    return inTransaction(db, async (tx) => {
      const results = await createLinkStore(tx)(accountId, drafts)
      const ids = results.flatMap((each) => (each.status === 'fulfilled' ? each.value.id : []))
      await events.tell(tx, accountId, 'link.created', ids)
      return results
    })
  }

  function finish({ values, origin }: Draft, { id, alias, createdAt }: StoredLink): CreatedLink {
    // This process learns at once that the alias is taken; the others believe it free for a second.
    visitLinks.invalidate(values.domain_id ?? null, alias)
    return { id, alias, shortUrl: shortUrlOf(origin, alias), url: values.url, createdAt }
  }
}

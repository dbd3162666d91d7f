import type { BlockList } from '../blocked-hosts/block-list.ts'
import { notify } from '../db/notify.ts'
import { deleteOwned, updateOwned } from '../db/owned.queries.ts'
import type { PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { AppError, invalid } from '../errors.ts'
import { checkDestination } from '../holds/check-destination.ts'
import { parseTargetUrl } from '../target-url.ts'
import type { BrandedDomain } from './branded-domain.ts'
import { findDomain, insertDomain, listDomains } from './domain.queries.ts'
import type { ProvenDomain } from './domain-proof.ts'
import { type Hosts, normalizeHost } from './hosts.ts'

export type Domains = ReturnType<typeof createDomains>

/** Where a domain sends the visitors of its bare `/` and of what it does not know; null for nowhere. */
export type Redirects = { redirectRoot?: string | null; redirect404?: string | null }

type Dependencies = { db: Db; hosts: Hosts; blockList: Pick<BlockList, 'check'> }

/** Branded domains of accounts, and where they lead a visitor who asks for no link. */
export function createDomains({ db, hosts, blockList }: Dependencies) {
  /** The columns of the redirects that were given; a redirect must not come back to where it began. */
  async function readRedirects(
    { accountId, host, ...before }: Pick<BrandedDomain, 'accountId' | 'host'> & Redirects,
    { redirectRoot, redirect404 }: Redirects,
  ) {
    const root = redirectRoot ? parseTargetUrl('redirectRoot', redirectRoot) : null
    if (root && normalizeHost(root.host) === host && root.pathname === '/') {
      throw invalid('redirectRoot', 'must not lead to the domain itself')
    }
    const unknown = redirect404 ? parseTargetUrl('redirect404', redirect404) : null
    if (unknown && (normalizeHost(unknown.host) === host || (await hosts.isOurs(unknown.host)))) {
      throw invalid('redirect404', 'must not lead to the short-link service itself')
    }
    const kept = [before.redirectRoot ?? null, before.redirect404 ?? null]
    for (const [field, url] of [
      ['redirectRoot', root],
      ['redirect404', unknown],
    ] as const) {
      if (!url) continue
      await blockList.check(field, url)
      await checkDestination(db, accountId, field, url, kept)
    }
    return {
      ...(redirectRoot !== undefined && { redirect_root: root?.href ?? null }),
      ...(redirect404 !== undefined && { redirect_404: unknown?.href ?? null }),
    }
  }

  /** A domain. @throws AppError `not_found` */
  async function get(accountId: number, id: number): Promise<BrandedDomain> {
    const domain = await findDomain(db, accountId, id)
    if (!domain) throw new AppError('not_found')
    return domain
  }

  return {
    get,

    /** One page of the account's domains with the number of all of them. */
    list: (accountId: number, page: PageQuery) => listDomains(db, accountId, page),

    /**
     * Makes a domain, proven by `proveDomain`, the account's own.
     *
     * @throws AppError `invalid_input` naming the field, `domain_taken`
     */
    async add(
      accountId: number,
      { host, origin, pointsHere }: ProvenDomain,
      redirects: Redirects = {},
    ): Promise<BrandedDomain> {
      const columns = await readRedirects({ accountId, host }, redirects)
      if (!pointsHere) throw invalid('domain', 'must already point to this service')
      const domain = await inTransaction(db, async (tx) => {
        await notify(tx, [{ kind: 'domain', host }])
        return insertDomain(tx, { account_id: accountId, host, origin, ...columns })
      })
      hosts.cache.invalidate(host)
      return domain
    },

    /**
     * Changes the redirects that are given; null clears one.
     *
     * @throws AppError `not_found`, `invalid_input` naming the field
     */
    async update(accountId: number, id: number, redirects: Redirects): Promise<void> {
      const domain = await get(accountId, id)
      const columns = await readRedirects(domain, redirects)
      if (Object.keys(columns).length === 0) return
      await inTransaction(db, async (tx) => {
        const found = await updateOwned(tx, 'domains', accountId, id, columns)
        if (!found) throw new AppError('not_found')
        await notify(tx, [{ kind: 'domain', host: domain.host }])
      })
      hosts.cache.invalidate(domain.host)
    },

    /** Deletes a domain that no link uses. @throws AppError `not_found`, `domain_in_use` */
    async delete(accountId: number, id: number): Promise<void> {
      const host = await inTransaction(db, async (tx) => {
        const deleted = await deleteOwned(tx, 'domains', accountId, id)
        if (!deleted) throw new AppError('not_found')
        await notify(tx, [{ kind: 'domain', host: deleted.host }])
        return deleted.host
      })
      hosts.cache.invalidate(host)
    },
  }
}

import type { ChargedPasswords } from '../accounts/charged-passwords.ts'
import type { KeyDomain } from '../accounts/key-scope.ts'
import type { Quota } from '../accounts/quota.ts'
import type { BlockList } from '../blocked-hosts/block-list.ts'
import type { Clock } from '../clock.ts'
import type { FairQueue } from '../concurrency/fair-queue.ts'
import { notify } from '../db/notify.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { type Hosts, normalizeHost } from '../domains/hosts.ts'
import { AppError } from '../errors.ts'
import { isAliasHeld } from '../holds/held-address.queries.ts'
import { dropUnusedTags, tagIdsOf } from '../tags/link-tags.queries.ts'
import { activeShortUrls } from './active-links.queries.ts'
import { type CreatedLink, createLinks as storeLinks } from './create-links.ts'
import { createLinkInserter } from './insert-links.queries.ts'
import { findLink, findLinkAddress, findLinkByAlias, updateLink } from './link.queries.ts'
import type { Link, LinkAddress, LinkEntry, LinkParts, LinkStatus } from './link.ts'
import type { LinkEvents } from './link-events.ts'
import { type LinkFilter, readCriteria } from './link-filter.ts'
import type { LinkInput } from './link-input.ts'
import { listFound, listLinks } from './link-list.queries.ts'
import { linkNames } from './link-names.queries.ts'
import type { LinkOrder } from './link-pages.queries.ts'
import { findAliasHolder, findLinkParts } from './link-parts.queries.ts'
import { findNamedDomain } from './named-domain.ts'
import { type NewLink, readNewLinks } from './new-links.ts'
import { findGuesses, type LinkGuesses } from './password-guesses.queries.ts'
import { createLinkPicker } from './pick-links.ts'
import { removeLinks } from './remove-links.queries.ts'
import { parseAlias } from './rules/alias.ts'
import { lockLinks } from './several-links.queries.ts'
import { createAddressFinder } from './short-link.ts'
import { parseShortLink, typedAlias } from './short-url.ts'
import { readLinkChanges, storeLinkChanges } from './update-link.ts'
import type { VisitLinks } from './visit-links.ts'

export type Links = ReturnType<typeof createLinks>

type Dependencies = {
  db: Db
  baseUrl: string
  hosts: Hosts
  blockList: Pick<BlockList, 'check'>
  passwords: ChargedPasswords
  visitLinks: Pick<VisitLinks, 'invalidate'>
  clock: Clock
  quota: Quota
  events: LinkEvents
  /** The turns of searches, by account. */
  searches: Pick<FairQueue, 'run'>
}

/**
 * Links of accounts: making, changing, listing and deleting them. A change tells every process and
 * webhook.
 */
export function createLinks({
  db,
  baseUrl,
  hosts,
  blockList,
  passwords,
  visitLinks,
  clock,
  quota,
  events,
  searches,
}: Dependencies) {
  const findAddress = createAddressFinder({ db, hosts })
  const rules = { db, baseUrl, hosts, blockList, passwords, clock }
  const insertLink = createLinkInserter(db)

  const prepare = (accountId: number, inputs: readonly LinkInput[], domain?: KeyDomain) =>
    readNewLinks(rules, accountId, inputs, domain)

  const createPrepared = (accountId: number, links: readonly PromiseSettledResult<NewLink>[]) =>
    storeLinks({ visitLinks, quota, events, insertLink }, db, accountId, links)

  async function create(
    accountId: number,
    input: LinkInput,
    domain?: KeyDomain,
  ): Promise<CreatedLink> {
    const [result] = await createPrepared(accountId, await prepare(accountId, [input], domain))
    if (result?.status !== 'fulfilled') throw result?.reason
    return result.value
  }

  async function change(
    accountId: number,
    id: number,
    work: (tx: Tx) => Promise<LinkAddress | undefined>,
  ) {
    const addresses = await inTransaction(db, async (tx) => {
      const before = await work(tx)
      if (!before) throw new AppError('not_found')
      const after = await findLinkAddress(tx, accountId, id)
      const changed = after ? [before, after] : [before]
      await notify(
        tx,
        changed.map((address) => ({ kind: 'link', ...address })),
      )
      return changed
    })
    for (const { domainId, alias } of addresses) visitLinks.invalidate(domainId, alias)
  }

  async function get(accountId: number, id: number): Promise<Link> {
    const link = await findLink(db, baseUrl, accountId, id)
    if (!link) throw new AppError('not_found')
    return link
  }

  /** The alias of a short link of ours that is searched for, or the text as it is. */
  async function aliasIn(search: string | undefined): Promise<string | undefined> {
    const named = search?.includes('/') ? parseShortLink(search) : undefined
    const isOurs = named?.host !== undefined && (await hosts.isOurs(named.host))
    return isOurs ? named.alias : search
  }

  async function list(
    accountId: number,
    { filter = {}, ...page }: PageQuery & { order: LinkOrder; filter?: LinkFilter },
  ): Promise<Page<LinkEntry>> {
    const criteria = readCriteria({ ...filter, search: await aliasIn(filter.search) })
    if (!criteria) return listLinks(db, baseUrl, accountId, page)
    const search = { accountId, criteria, order: page.order, now: clock() }
    const find = () => listFound(db, baseUrl, search, page)
    // Who waits in a transaction would keep its connection from those whose turn it is.
    return db.isTransaction ? find() : searches.run(accountId, find)
  }

  return {
    get,

    /**
     * Makes a short link.
     *
     * @throws AppError `invalid_input` naming the field, `alias_taken`, `too_many_links`,
     *   `rate_limited` for passwords
     */
    create,

    /**
     * Reads what is asked of new links and hashes their passwords, outside of any transaction; says of
     * each, in their order, what became of it.
     */
    prepare,

    /**
     * Makes the links that were prepared by as few statements as they allow, and says of each, in their
     * order, what became of it: rejected with what `create` throws. Throws what concerns all of them.
     */
    createPrepared,

    /**
     * Changes the fields of a link that are given; null clears one. Webhooks fire only if anything changed.
     *
     * @throws AppError `not_found`, `invalid_input` naming the field, `alias_taken`
     */
    async update(accountId: number, id: number, input: LinkInput): Promise<Link> {
      const current = await get(accountId, id)
      const changes = await readLinkChanges(rules, current, input)
      await change(accountId, id, async (tx) => {
        const before = await storeLinkChanges(tx, current, changes)
        if (before?.changed) await events.tell(tx, accountId, 'link.updated', [id])
        return before
      })
      return get(accountId, id)
    },

    /** Deletes a link with everything counted of it. @throws AppError `not_found` */
    delete: (accountId: number, id: number): Promise<void> =>
      change(accountId, id, async (tx) => {
        const [link] = await lockLinks(tx, accountId, [id])
        if (!link) return undefined
        const tagIds = await tagIdsOf(tx, [id])
        await events.tell(tx, accountId, 'link.deleted', [id])
        await removeLinks(tx, [id])
        await dropUnusedTags(tx, tagIds)
        return { domainId: link.domainId, alias: link.alias }
      }),

    /**
     * Lets visitors through or not; setting what is set already changes nothing.
     *
     * @throws AppError `not_found`, `link_blocked` where the operator has disabled the link
     */
    async setStatus(accountId: number, id: number, status: LinkStatus): Promise<Link> {
      await change(accountId, id, async (tx) => {
        const before = await updateLink(tx, accountId, id, { status })
        if (before?.blocked && status === 'active') throw new AppError('link_blocked')
        if (before?.changed) await events.tell(tx, accountId, 'link.updated', [id])
        return before
      })
      return get(accountId, id)
    },

    /** The link with what belongs to it beside its own row. @throws AppError `not_found` */
    async withParts(accountId: number, id: number): Promise<Link & LinkParts> {
      const [link, parts] = await Promise.all([
        get(accountId, id),
        findLinkParts(db, accountId, id),
      ])
      if (!parts) throw new AppError('not_found')
      return { ...link, ...parts }
    },

    /**
     * Whether a link may be found under an alias on a domain: `own` if the account's link `id` already
     * is, `held` if the alias is reserved. Somebody may still take what is free before it is asked for.
     *
     * @throws AppError `invalid_input` naming the field
     */
    async checkAlias(
      accountId: number,
      { alias, domain, id }: Pick<LinkInput, 'domain'> & { alias: string; id?: number | undefined },
    ): Promise<'free' | 'taken' | 'own' | 'held'> {
      const wanted = parseAlias('alias', typedAlias(alias, domain || baseUrl))
      const branded = await findNamedDomain(rules, accountId, domain)
      const holder = await findAliasHolder(db, branded?.id ?? null, wanted)
      if (!holder) {
        const host = branded ? normalizeHost(new URL(branded.origin).host) : ''
        return (await isAliasHeld(db, { alias: wanted, host }, id)) ? 'held' : 'free'
      }
      return holder.account_id === accountId && holder.id === id ? 'own' : 'taken'
    },

    /** How the account's links with these ids are called, by id; other ids are left out. */
    names: (accountId: number, ids: readonly number[]) => linkNames(db, baseUrl, accountId, ids),

    /**
     * One page of the account's links, or of those that a filter leaves, with the number of all of them.
     *
     * @throws AppError `invalid_input` naming `q`, `busy` when the account has too many searches waiting
     */
    list,

    /** Some of the account's links with the number of all of them. */
    pick: createLinkPicker(list),

    /** What is known of the guesses at the link's password. @throws AppError `not_found` */
    async guesses(accountId: number, id: number): Promise<LinkGuesses> {
      await get(accountId, id)
      return findGuesses(db, id)
    },

    /**
     * The short URLs of the account's links that lead visitors on at this moment, newest first, read
     * as they are asked for. With `domainId`, only those on that domain. Iterating throws what the
     * database throws, also in the middle.
     */
    activeShortUrls: (accountId: number, domainId?: number): AsyncIterable<string> =>
      activeShortUrls(db, baseUrl, accountId, clock(), domainId),

    /** The account's link that a text names, as `parseShortLink` reads it; undefined for none. */
    async findByShortLink(accountId: number, text: string): Promise<Link | undefined> {
      const address = await findAddress(text, accountId)
      return address && findLinkByAlias(db, baseUrl, accountId, address.domainId, address.alias)
    },
  }
}

import type { BlockList } from '../blocked-hosts/block-list.ts'
import { deleteOwned, findOwned, updateOwned } from '../db/owned.queries.ts'
import type { PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import { checkDestination } from '../holds/check-destination.ts'
import { normalizeAlias, parseAlias } from '../links/rules/alias.ts'
import { optionalText, requireText } from '../text.ts'
import { findBioByAlias, insertBio, listBios, toBio } from './bio.queries.ts'
import type { BioPage } from './bio.ts'
import { type BioChanges, type BioInput, readLinks } from './bio-input.ts'

export type Bios = ReturnType<typeof createBios>

type Dependencies = { db: Db; blockList: Pick<BlockList, 'check' | 'current'> }

/** Bio pages of accounts: a title, a text and links, below `/b/`. */
export function createBios({ db, blockList }: Dependencies) {
  async function get(accountId: number, id: number): Promise<BioPage> {
    const row = await findOwned(db, 'bio_pages', accountId, id)
    if (!row) throw new AppError('not_found')
    return toBio(row)
  }

  /** The links as they are stored. */
  async function storedLinks(
    accountId: number,
    links: NonNullable<BioInput['links']>,
    kept: readonly string[] = [],
  ): Promise<string> {
    const read = readLinks(links)
    for (const [index, { url }] of read.entries()) {
      await blockList.check(`links[${index}].url`, new URL(url))
      await checkDestination(db, accountId, `links[${index}].url`, new URL(url), kept)
    }
    return JSON.stringify(read)
  }

  return {
    /** One page of the account's bio pages with the number of all of them. */
    list: (accountId: number, page: PageQuery) => listBios(db, accountId, page),

    /** Makes a bio page. @throws AppError `invalid_input` naming the field, `alias_taken` */
    async add(accountId: number, { alias, title, text, links }: BioInput): Promise<BioPage> {
      return insertBio(db, {
        account_id: accountId,
        alias: parseAlias('alias', alias),
        title: requireText('title', title, 200),
        text: optionalText('text', text, 5000) ?? '',
        links: await storedLinks(accountId, links ?? []),
      })
    },

    /** A bio page. @throws AppError `not_found` */
    get,

    /**
     * Changes what is given.
     *
     * @throws AppError `not_found`, `invalid_input` naming the field, `alias_taken`
     */
    async update(
      accountId: number,
      id: number,
      { alias, title, text, links }: BioChanges,
    ): Promise<BioPage> {
      const before = await get(accountId, id)
      const kept = before.links.map(({ url }) => url)
      const changes = {
        ...(alias !== undefined && { alias: parseAlias('alias', alias ?? '') }),
        ...(title !== undefined && { title: requireText('title', title ?? '', 200) }),
        ...(text !== undefined && { text: optionalText('text', text, 5000) ?? '' }),
        ...(links !== undefined && { links: await storedLinks(accountId, links ?? [], kept) }),
      }
      if (Object.keys(changes).length === 0) return before
      const row = await updateOwned(db, 'bio_pages', accountId, id, changes)
      if (!row) throw new AppError('not_found')
      return toBio(row)
    },

    /**
     * The bio page at `/b/<alias>` without its links to blocked hosts, or null.
     *
     * @throws AppError `gone` while the account is suspended
     */
    async findByAlias(given: string): Promise<BioPage | null> {
      const alias = normalizeAlias(given)
      const found = alias === undefined ? undefined : await findBioByAlias(db, alias)
      if (found?.suspended) throw new AppError('gone')
      if (!found) return null
      const { bio } = found
      const list = await blockList.current()
      return { ...bio, links: bio.links.filter(({ url }) => !list.blocksTarget(url)) }
    },

    /** Deletes a bio page, also from channels. @throws AppError `not_found` */
    async delete(accountId: number, id: number): Promise<void> {
      if (!(await deleteOwned(db, 'bio_pages', accountId, id))) throw new AppError('not_found')
    },
  }
}

import { deleteOwned } from '../db/owned.queries.ts'
import type { PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import type { BioLink } from '../db/schema.ts'
import { AppError, invalid } from '../errors.ts'
import { normalizeAlias, parseAlias } from '../links/rules/alias.ts'
import { parseTargetUrl } from '../target-url.ts'
import { optionalText, requireText } from '../text.ts'
import { type BioPage, findBioByAlias, insertBio, listBios } from './bio.queries.ts'

export type Bios = ReturnType<typeof createBios>

/** What an operator says of a new bio page. */
export type BioInput = {
  alias: string
  title: string
  text?: string
  /** A link without a title is called by its host. */
  links?: readonly { title?: string; url: string }[]
}

const MAX_LINKS = 100

export function createBios({ db }: { db: Db }) {
  return {
    /** One page of the account's bio pages with the number of all of them. */
    list: (accountId: number, page: PageQuery) => listBios(db, accountId, page),

    /** Makes a bio page. @throws AppError `invalid_input` naming the field, `alias_taken` */
    async add(accountId: number, { alias, title, text, links = [] }: BioInput): Promise<BioPage> {
      if (links.length > MAX_LINKS) throw invalid('links', `must be at most ${MAX_LINKS}`)
      return insertBio(db, {
        account_id: accountId,
        alias: parseAlias('alias', alias),
        title: requireText('title', title, 200),
        text: optionalText('text', text, 5000) ?? '',
        links: JSON.stringify(links.map(readLink)),
      })
    },

    /** The bio page at `/b/<alias>`, or null. @throws AppError `gone` while the account is suspended */
    async findByAlias(given: string): Promise<BioPage | null> {
      const alias = normalizeAlias(given)
      const found = alias === undefined ? undefined : await findBioByAlias(db, alias)
      if (found?.suspended) throw new AppError('gone')
      return found?.bio ?? null
    },

    /** Deletes a bio page, also from channels. @throws AppError `not_found` */
    async delete(accountId: number, id: number): Promise<void> {
      if (!(await deleteOwned(db, 'bio_pages', accountId, id))) throw new AppError('not_found')
    },
  }
}

function readLink({ title, url }: { title?: string; url: string }, index: number): BioLink {
  const target = parseTargetUrl(`links[${index}].url`, url)
  const name = optionalText(`links[${index}].title`, title, 200)
  return { title: name ?? target.host, url: target.href }
}

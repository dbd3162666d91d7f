import type { Context } from '../context.ts'
import { deleteOwned, findOwned, updateOwned } from '../db/owned.queries.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import { checkDestination } from '../holds/check-destination.ts'
import { normalizeAlias, parseAlias } from '../links/rules/alias.ts'
import { optionalText, requireText } from '../text.ts'
import * as queries from './bio.queries.ts'
import type { BioPage } from './bio.ts'
import { type BioChanges, type BioInput, readLinks } from './bio-input.ts'

export function listBios(db: Db, accountId: number, page: PageQuery): Promise<Page<BioPage>> {
  return queries.listBios(db, accountId, page)
}

/** @throws AppError `not_found` */
export async function getBio(db: Db, accountId: number, id: number): Promise<BioPage> {
  const row = await findOwned(db, 'bio_pages', accountId, id)
  if (!row) throw new AppError('not_found')
  return queries.toBio(row)
}

/** Creates a page of links at `/b/<alias>`. @throws AppError `invalid_input` naming the field, `alias_taken` */
export async function addBio(
  ctx: Context,
  db: Db,
  accountId: number,
  { alias, title, text, links }: BioInput,
): Promise<BioPage> {
  return queries.insertBio(db, {
    account_id: accountId,
    alias: parseAlias('alias', alias),
    title: requireText('title', title, 200),
    text: optionalText('text', text, 5000) ?? '',
    links: await storedLinks(ctx, db, accountId, links ?? []),
  })
}

/**
 * Changes the given fields.
 *
 * @throws AppError `not_found`, `invalid_input` naming the field, `alias_taken`
 */
export async function updateBio(
  ctx: Context,
  db: Db,
  accountId: number,
  id: number,
  { alias, title, text, links }: BioChanges,
): Promise<BioPage> {
  const before = await getBio(db, accountId, id)
  const kept = before.links.map(({ url }) => url)
  const changes = {
    ...(alias !== undefined && { alias: parseAlias('alias', alias ?? '') }),
    ...(title !== undefined && { title: requireText('title', title ?? '', 200) }),
    ...(text !== undefined && { text: optionalText('text', text, 5000) ?? '' }),
    ...(links !== undefined && {
      links: await storedLinks(ctx, db, accountId, links ?? [], kept),
    }),
  }
  if (Object.keys(changes).length === 0) return before
  const row = await updateOwned(db, 'bio_pages', accountId, id, changes)
  if (!row) throw new AppError('not_found')
  return queries.toBio(row)
}

/**
 * Deletes a bio page and removes it from channels.
 *
 * @throws AppError `not_found`
 */
export async function deleteBio(db: Db, accountId: number, id: number): Promise<void> {
  if (!(await deleteOwned(db, 'bio_pages', accountId, id))) throw new AppError('not_found')
}

/**
 * Returns the bio page at `/b/<alias>` without its links to blocked hosts, or null.
 *
 * @throws AppError `gone` while the account is suspended
 */
export async function findBioByAlias(ctx: Context, db: Db, given: string): Promise<BioPage | null> {
  const alias = normalizeAlias(given)
  const found = alias === undefined ? undefined : await queries.findBioByAlias(db, alias)
  if (found?.suspended) throw new AppError('gone')
  if (!found) return null
  const { bio } = found
  const list = await ctx.blockList.current()
  return { ...bio, links: bio.links.filter(({ url }) => !list.blocksTarget(url)) }
}

/** Returns the links in stored form. */
async function storedLinks(
  ctx: Context,
  db: Db,
  accountId: number,
  links: NonNullable<BioInput['links']>,
  kept: readonly string[] = [],
): Promise<string> {
  const read = readLinks(links)
  for (const [index, { url }] of read.entries()) {
    await checkDestination(ctx, db, accountId, `links[${index}].url`, new URL(url), kept)
  }
  return JSON.stringify(read)
}

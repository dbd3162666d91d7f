import { createHash } from 'node:crypto'
import type { Context } from '../context.ts'
import { deleteOwned, findOwned, lockOwned, updateOwned } from '../db/owned.queries.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { checkDestination } from '../holds/check-destination.ts'
import { normalizeAlias, parseAlias } from '../links/rules/alias.ts'
import { optionalText, requireText } from '../text.ts'
import * as queries from './bio.queries.ts'
import type { BioButton, BioPage } from './bio.ts'
import {
  type BioChanges,
  type BioInput,
  DEFAULT_COLOR,
  DEFAULT_THEME,
  parseColor,
  parseTheme,
  readLinks,
} from './bio-input.ts'
import { linkButtons, removeButtons, resolveButtons } from './buttons.ts'

export function listBios(db: Db, accountId: number, page: PageQuery): Promise<Page<BioPage>> {
  return queries.listBios(db, accountId, page)
}

/** Returns a page with the clicks of its buttons. @throws AppError `not_found` */
export async function getBio(db: Db, accountId: number, id: number): Promise<BioPage> {
  const row = await findOwned(db, 'bio_pages', accountId, id)
  const [bio] = row ? await queries.withClicks(db, [queries.toBio(row)]) : []
  if (!bio) throw new AppError('not_found')
  return bio
}

/** Returns the picture of an account's page, or null without one. */
export async function getBioPicture(db: Db, accountId: number, id: number): Promise<Buffer | null> {
  return (await findOwned(db, 'bio_pages', accountId, id))?.picture ?? null
}

/** Creates a page of links at `/b/<alias>`. @throws AppError `invalid_input` naming the field, `alias_taken` */
export async function addBio(
  ctx: Context,
  db: Db,
  accountId: number,
  { alias, title, text, links, theme, color, picture }: BioInput,
): Promise<BioPage> {
  const columns = {
    account_id: accountId,
    alias: parseAlias('alias', alias),
    title: requireText('title', title, 200),
    text: optionalText('text', text, 5000) ?? '',
    theme: parseTheme(theme ?? DEFAULT_THEME),
    color: parseColor(color ?? DEFAULT_COLOR),
    ...pictureColumns(picture ?? null),
  }
  const buttons = await readButtons(ctx, db, accountId, links ?? [])
  const { bio, changed } = await inTransaction(db, async (tx) => {
    const { links: stored, changed } = await linkButtons(tx, accountId, [], buttons)
    const bio = await queries.insertBio(tx, { ...columns, links: JSON.stringify(stored) })
    return { bio, changed }
  })
  forget(ctx, changed)
  return bio
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
  { alias, title, text, links, theme, color, picture }: BioChanges,
): Promise<BioPage> {
  const before = await findOwned(db, 'bio_pages', accountId, id)
  if (!before) throw new AppError('not_found')
  const columns = {
    ...(alias !== undefined && { alias: parseAlias('alias', alias ?? '') }),
    ...(title !== undefined && { title: requireText('title', title ?? '', 200) }),
    ...(text !== undefined && { text: optionalText('text', text, 5000) ?? '' }),
    ...(theme !== undefined && { theme: parseTheme(theme ?? DEFAULT_THEME) }),
    ...(color !== undefined && { color: parseColor(color ?? DEFAULT_COLOR) }),
    ...(picture !== undefined && pictureColumns(picture)),
  }
  const kept = before.links.map(({ url }) => url)
  const buttons =
    links === undefined ? undefined : await readButtons(ctx, db, accountId, links ?? [], kept)
  const changed = await inTransaction(db, async (tx) => {
    const row = await lockOwned(tx, 'bio_pages', accountId, id)
    if (!row) throw new AppError('not_found')
    const linked = buttons && (await linkButtons(tx, accountId, row.links, buttons))
    const changes = { ...columns, ...(linked && { links: JSON.stringify(linked.links) }) }
    if (Object.keys(changes).length > 0) {
      await updateOwned(tx, 'bio_pages', accountId, id, changes)
    }
    return linked?.changed ?? []
  })
  forget(ctx, changed)
  return getBio(db, accountId, id)
}

/**
 * Deletes a bio page with the links of its buttons, and removes it from channels.
 *
 * @throws AppError `not_found`
 */
export async function deleteBio(
  ctx: Context,
  db: Db,
  accountId: number,
  id: number,
): Promise<void> {
  const removed = await inTransaction(db, async (tx) => {
    const row = await deleteOwned(tx, 'bio_pages', accountId, id)
    if (!row) throw new AppError('not_found')
    return removeButtons(tx, row.links)
  })
  forget(ctx, removed)
}

/**
 * Returns the bio page at `/b/<alias>` without its links to blocked hosts and to disabled or deleted
 * links, or null.
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
  const linkIds = bio.links.flatMap(({ linkId }) => linkId ?? [])
  const targets = await queries.findActiveTargets(db, linkIds)
  const isShown = ({ linkId, url }: BioButton) => {
    const target = linkId === undefined ? url : targets.get(linkId)
    return target !== undefined && ![url, target].some((each) => list.blocksTarget(each))
  }
  return { ...bio, links: bio.links.filter(isShown) }
}

/** Returns the picture of the page at `/b/<alias>`, or undefined without one. */
export async function findBioPicture(
  db: Db,
  given: string,
): Promise<{ picture: Buffer; hash: string } | undefined> {
  const alias = normalizeAlias(given)
  const row = alias === undefined ? undefined : await queries.findPicture(db, alias)
  if (!row?.picture || !row.picture_hash) return undefined
  return { picture: row.picture, hash: row.picture_hash }
}

async function readButtons(
  ctx: Context,
  db: Db,
  accountId: number,
  links: NonNullable<BioInput['links']>,
  kept: readonly string[] = [],
) {
  const read = readLinks(links)
  const left = [...kept]
  for (const [index, { url }] of read.entries()) {
    await checkDestination(ctx, db, accountId, `links[${index}].url`, new URL(url), left)
    // A further button with this URL would get a new link.
    if (left.includes(url)) left.splice(left.indexOf(url), 1)
  }
  return resolveButtons(ctx, db, accountId, read)
}

function pictureColumns(picture: Buffer | null) {
  const hash = picture && createHash('sha256').update(picture).digest('hex').slice(0, 16)
  return { picture, picture_hash: hash }
}

/** Invalidates the cached links of buttons. */
function forget({ visitLinks }: Context, aliases: readonly string[]): void {
  for (const alias of aliases) visitLinks.invalidate(null, alias)
}

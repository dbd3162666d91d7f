import { createHash } from 'node:crypto'
import type { Context } from '../context.ts'
import { deleteOwned, findOwned, lockOwned, updateOwned } from '../db/owned.queries.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { checkDestination } from '../holds/hold.service.ts'
import { parseSlug } from '../links/rules/alias.ts'
import { scopeOf } from '../scope.ts'
import { normalizeOptionalText, requireText } from '../text.ts'
import * as queries from './bio.queries.ts'
import type { BioPage } from './bio.ts'
import {
  type BioChanges,
  type BioInput,
  DEFAULT_COLOR,
  DEFAULT_THEME,
  MAX_TEXT,
  MAX_TITLE,
  parseColor,
  parseTheme,
  readLinks,
} from './bio-input.ts'
import { linkButtons, removeButtons, resolveButtons } from './buttons.ts'
import { getHiddenReason } from './hidden-button.ts'

export function listBios(db: Db, accountId: number, page: PageQuery): Promise<Page<BioPage>> {
  return queries.listBios(db, accountId, page)
}

/** Returns a page with the clicks of its buttons. @throws AppError `not_found` */
export async function getBio(db: Db, accountId: number, id: number): Promise<BioPage> {
  const row = await findOwned({ db, accountId }, 'bio_pages', id)
  const [bio] = row ? await queries.addClicks(db, [queries.toBio(row)]) : []
  if (!bio) throw new AppError('not_found')
  return bio
}

/**
 * Returns a page with the clicks of its buttons and the reasons why some are hidden.
 *
 * @throws AppError `not_found`
 */
export async function getBioForEditor(
  { blockList, clock }: Context,
  db: Db,
  accountId: number,
  id: number,
): Promise<BioPage> {
  const bio = await getBio(db, accountId, id)
  const targets = await queries.findTargets(db, bio.links)
  const at = { list: await blockList.current(), now: clock() }
  const links = bio.links.map((button) => ({
    ...button,
    hidden: getHiddenReason(button, targets, at),
  }))
  return { ...bio, links }
}

/** Returns the picture of an account's page, or null if it has none or there is no such page. */
export async function getBioPicture(db: Db, accountId: number, id: number): Promise<Buffer | null> {
  return (await findOwned({ db, accountId }, 'bio_pages', id))?.picture ?? null
}

/**
 * Creates a page of links at `/b/<alias>`.
 *
 * @throws AppError `invalid_input` naming the field, `alias_taken`, `too_many_bio_pages`
 */
export async function addBio(
  ctx: Context,
  db: Db,
  accountId: number,
  { alias, title, text, links, theme, color, picture }: BioInput,
): Promise<BioPage> {
  const columns = {
    account_id: accountId,
    alias: parseSlug('alias', alias),
    title: requireText('title', title, MAX_TITLE),
    text: normalizeOptionalText('text', text, MAX_TEXT) ?? '',
    theme: parseTheme(theme ?? DEFAULT_THEME),
    color: parseColor(color ?? DEFAULT_COLOR),
    ...toPictureColumns(picture ?? null),
  }
  await ctx.storage.require({ db, accountId })
  const buttons = await readButtons(ctx, db, accountId, links ?? [])
  const { bio, changed } = await ctx.quotas.bios.use({ db, accountId }, 1, (allowed) => {
    if (allowed < 1) throw new AppError('too_many_bio_pages')
    return inTransaction(db, async (tx) => {
      const { links: stored, changed } = await linkButtons(tx, accountId, [], buttons)
      const bio = await queries.insertBio(tx, { ...columns, links: JSON.stringify(stored) })
      return { bio, changed }
    })
  })
  invalidatePages(ctx, [bio.alias], changed)
  return bio
}

/**
 * Changes the fields that are set in the input.
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
  const current = await findOwned({ db, accountId }, 'bio_pages', id)
  if (!current) throw new AppError('not_found')
  await ctx.storage.require({ db, accountId })
  const columns = {
    ...(alias !== undefined && { alias: parseSlug('alias', alias ?? '') }),
    ...(title !== undefined && { title: requireText('title', title ?? '', MAX_TITLE) }),
    ...(text !== undefined && { text: normalizeOptionalText('text', text, MAX_TEXT) ?? '' }),
    ...(theme !== undefined && { theme: parseTheme(theme ?? DEFAULT_THEME) }),
    ...(color !== undefined && { color: parseColor(color ?? DEFAULT_COLOR) }),
    ...(picture !== undefined && toPictureColumns(picture)),
  }
  const currentUrls = current.links.map(({ url }) => url)
  const buttons =
    links === undefined
      ? undefined
      : await readButtons(ctx, db, accountId, links ?? [], currentUrls)
  const changed = await inTransaction(db, async (tx) => {
    const row = await lockOwned({ db: tx, accountId }, 'bio_pages', id)
    if (!row) throw new AppError('not_found')
    const linked = buttons && (await linkButtons(tx, accountId, row.links, buttons))
    const changes = { ...columns, ...(linked && { links: JSON.stringify(linked.links) }) }
    if (Object.keys(changes).length > 0) {
      await updateOwned({ db: tx, accountId }, 'bio_pages', id, changes)
    }
    return linked?.changed ?? []
  })
  const bio = await getBio(db, accountId, id)
  invalidatePages(ctx, [current.alias, bio.alias], changed)
  return bio
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
  const { alias, removed } = await inTransaction(db, async (tx) => {
    const row = await deleteOwned({ db: tx, accountId }, 'bio_pages', id)
    if (!row) throw new AppError('not_found')
    return { alias: row.alias, removed: await removeButtons(tx, row.links) }
  })
  invalidatePages(ctx, [alias], removed)
}

async function readButtons(
  ctx: Context,
  db: Db,
  accountId: number,
  links: NonNullable<BioInput['links']>,
  currentUrls: readonly string[] = [],
) {
  const validLinks = readLinks(links)
  const remainingUrls = [...currentUrls]
  for (const [index, { url }] of validLinks.entries()) {
    await checkDestination(
      scopeOf({ ...ctx, db }, accountId),
      `links[${index}].url`,
      new URL(url),
      remainingUrls,
    )
    // A current URL allows only one button. Another one with the same URL would get a new link.
    if (remainingUrls.includes(url)) remainingUrls.splice(remainingUrls.indexOf(url), 1)
  }
  return resolveButtons(ctx, db, accountId, validLinks)
}

function toPictureColumns(picture: Buffer | null) {
  const hash = picture && createHash('sha256').update(picture).digest('hex').slice(0, 16)
  return { picture, picture_hash: hash }
}

/** Invalidates pages in the local store, and the cached links of buttons. */
function invalidatePages(
  { store, visitLinks }: Context,
  pages: readonly string[],
  links: readonly string[],
): void {
  for (const alias of pages) store.touch('bio_page', alias)
  for (const alias of links) visitLinks.invalidate(null, alias)
}

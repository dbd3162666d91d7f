import type { Context } from '../context.ts'
import { deleteOwned, findOwned, updateOwned } from '../db/owned.queries.ts'
import type { PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import { changeSharedPart } from '../links/shared-part.ts'
import { requireText } from '../text.ts'
import * as queries from './pixel.queries.ts'
import { type Pixel, type PixelInput, parseTag, parseType } from './pixel.ts'

export const MAX_NAME = 200

export function listPixels(
  db: Db,
  accountId: number,
  page: PageQuery,
): ReturnType<typeof queries.listPixels> {
  return queries.listPixels(db, accountId, page)
}

/** Returns a pixel. @throws AppError `not_found` */
export async function getPixel(db: Db, accountId: number, id: number): Promise<Pixel> {
  const row = await findOwned(db, 'pixels', accountId, id)
  if (!row) throw new AppError('not_found')
  return queries.toPixel(row)
}

/**
 * Creates a pixel. Its tag is written into pages, so it can only have a few safe characters.
 *
 * @throws AppError `invalid_input` naming the field
 */
export async function addPixel(
  db: Db,
  accountId: number,
  { type, name, tag }: PixelInput,
): Promise<Pixel> {
  return queries.insertPixel(db, {
    account_id: accountId,
    type: parseType(type),
    name: requireText('name', name, MAX_NAME),
    tag: parseTag(tag),
  })
}

/**
 * Changes the tag, and the name if it is set.
 *
 * @throws AppError `not_found`, `invalid_input` naming the field
 */
export async function updatePixel(
  ctx: Context,
  db: Db,
  accountId: number,
  id: number,
  { tag, name }: { tag: string; name?: string },
): Promise<void> {
  const changes = {
    tag: parseTag(tag),
    ...(name !== undefined && { name: requireText('name', name, MAX_NAME) }),
  }
  await changeSharedPart(ctx, db, { kind: 'pixel', id }, async (tx) => {
    const pixel = await updateOwned(tx, 'pixels', accountId, id, changes)
    if (!pixel) throw new AppError('not_found')
  })
}

/**
 * Deletes a pixel and removes it from links.
 *
 * @throws AppError `not_found`
 */
export function deletePixel(ctx: Context, db: Db, accountId: number, id: number): Promise<void> {
  return changeSharedPart(ctx, db, { kind: 'pixel', id }, async (tx) => {
    if (!(await deleteOwned(tx, 'pixels', accountId, id))) throw new AppError('not_found')
  })
}

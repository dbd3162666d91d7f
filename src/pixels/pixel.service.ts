import type { Context } from '../context.ts'
import { notify } from '../db/notify.ts'
import { deleteOwned, findOwned, updateOwned } from '../db/owned.queries.ts'
import type { PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
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

/** @throws AppError `not_found` */
export async function getPixel(db: Db, accountId: number, id: number): Promise<Pixel> {
  const row = await findOwned(db, 'pixels', accountId, id)
  if (!row) throw new AppError('not_found')
  return queries.toPixel(row)
}

/**
 * Creates a pixel. Tags are written into pages, so each vendor's form is checked.
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
 * Changes the tag, and the name if one is given.
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
  await change(ctx, db, id, (tx) => updateOwned(tx, 'pixels', accountId, id, changes))
}

/** Deletes a pixel, also from the links that fire it. @throws AppError `not_found` */
export function deletePixel(ctx: Context, db: Db, accountId: number, id: number): Promise<void> {
  return change(ctx, db, id, (tx) => deleteOwned(tx, 'pixels', accountId, id))
}

/** Every process reads the links that fire the pixel again, and no others. */
async function change(
  ctx: Context,
  db: Db,
  id: number,
  work: (tx: Tx) => Promise<object | undefined>,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (!(await work(tx))) throw new AppError('not_found')
    await notify(tx, [{ kind: 'pixel', id }])
  })
  ctx.visitLinks.invalidatePart({ kind: 'pixel', id })
}

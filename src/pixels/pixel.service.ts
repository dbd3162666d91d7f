import type { Selectable } from 'kysely'
import type { Context } from '../context.ts'
import { deleteOwned, findOwned, listOwned, updateOwned } from '../db/owned.queries.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import type { PixelTable } from '../db/schema/links.ts'
import { AppError, invalid } from '../errors.ts'
import { changeSharedPart } from '../links/shared-part.ts'
import { requireText } from '../text.ts'

export const PIXEL_TYPES = [
  'vendor01pixel',
  'vendor02pixel',
  'vendor03pixel',
  'vendor04pixel',
  'vendor05pixel',
  'vendor06pixel',
  'vendor07pixel',
  'vendor08pixel',
  'vendor09',
  'vendor10',
  'vendor11',
  'vendor12',
  'vendor13',
] as const

export type PixelType = (typeof PIXEL_TYPES)[number]

/**
 * A tracking pixel of an analytics or advertising vendor. It is requested when a link is visited.
 */
export type Pixel = { id: number; type: string; name: string; tag: string; createdAt: Date }

export type PixelInput = { type: PixelType; name: string; tag: string }

const TAG = /^[A-Za-z0-9_.:-]{1,64}$/

const COLUMNS = ['id', 'type', 'name', 'tag', 'created_at'] as const

export const MAX_NAME = 200

/** Returns a pixel. @throws AppError `not_found` */
export async function getPixel(db: Db, accountId: number, id: number): Promise<Pixel> {
  const row = await findOwned(db, 'pixels', accountId, id)
  if (!row) throw new AppError('not_found')
  return toPixel(row)
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
  return insertPixel(db, {
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

async function insertPixel(db: Db, values: PixelInput & { account_id: number }): Promise<Pixel> {
  const row = await db.insertInto('pixels').values(values).returningAll().executeTakeFirstOrThrow()
  return toPixel(row)
}

export async function listPixels(db: Db, accountId: number, page: PageQuery): Promise<Page<Pixel>> {
  const { entries, total } = await listOwned(db, 'pixels', COLUMNS, accountId, page)
  return { entries: entries.map(toPixel), total }
}

function toPixel(row: Pick<Selectable<PixelTable>, (typeof COLUMNS)[number]>): Pixel {
  return { id: row.id, type: row.type, name: row.name, tag: row.tag, createdAt: row.created_at }
}

/**
 * Parses the type of a pixel.
 *
 * @throws AppError `invalid_input` naming `type`
 */
function parseType(type: string): PixelType {
  const pixelType = PIXEL_TYPES.find((each) => each === type)
  if (!pixelType) throw invalid('type', 'one_of', { choices: PIXEL_TYPES.join(', ') })
  return pixelType
}

/**
 * Parses a pixel's tag.
 *
 * @throws AppError `invalid_input` naming `tag`
 */
function parseTag(tag: string): string {
  if (TAG.test(tag)) return tag
  throw invalid('tag', 'pixel_tag')
}

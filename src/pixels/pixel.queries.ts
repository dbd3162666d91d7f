import type { Selectable } from 'kysely'
import { type Page, type PageQuery, pageOfIds } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import type { PixelTable } from '../db/schema.ts'
import type { Pixel, PixelInput } from './pixel.ts'

export async function insertPixel(
  db: Db,
  values: PixelInput & { account_id: number },
): Promise<Pixel> {
  const row = await db.insertInto('pixels').values(values).returningAll().executeTakeFirstOrThrow()
  return toPixel(row)
}

export async function listPixels(db: Db, accountId: number, page: PageQuery): Promise<Page<Pixel>> {
  const { ids, total } = await pageOfIds(db, 'pixels', accountId, page)
  if (ids.length === 0) return { entries: [], total }
  const rows = await db
    .selectFrom('pixels')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', 'in', ids)
    .orderBy('id', 'desc')
    .execute()
  return { entries: rows.map(toPixel), total }
}

/** Changes a pixel of an account; says whether there is one. */
export async function updatePixel(
  db: Db,
  accountId: number,
  id: number,
  changes: { tag: string; name?: string },
): Promise<boolean> {
  const row = await db
    .updateTable('pixels')
    .set(changes)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes a pixel of an account and takes it off its links; says whether there was one. */
export async function deletePixel(db: Db, accountId: number, id: number): Promise<boolean> {
  const row = await db
    .deleteFrom('pixels')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

function toPixel(row: Selectable<PixelTable>): Pixel {
  return { id: row.id, type: row.type, name: row.name, tag: row.tag, createdAt: row.created_at }
}

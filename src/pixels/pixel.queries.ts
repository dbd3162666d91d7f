import type { Selectable } from 'kysely'
import { listOwned } from '../db/owned.queries.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import type { PixelTable } from '../db/schema/links.ts'
import type { Pixel, PixelInput } from './pixel.ts'

const COLUMNS = ['id', 'type', 'name', 'tag', 'created_at'] as const

export async function insertPixel(
  db: Db,
  values: PixelInput & { account_id: number },
): Promise<Pixel> {
  const row = await db.insertInto('pixels').values(values).returningAll().executeTakeFirstOrThrow()
  return toPixel(row)
}

export async function listPixels(db: Db, accountId: number, page: PageQuery): Promise<Page<Pixel>> {
  const { entries, total } = await listOwned(db, 'pixels', COLUMNS, accountId, page)
  return { entries: entries.map(toPixel), total }
}

export function toPixel(row: Pick<Selectable<PixelTable>, (typeof COLUMNS)[number]>): Pixel {
  return { id: row.id, type: row.type, name: row.name, tag: row.tag, createdAt: row.created_at }
}

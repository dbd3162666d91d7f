import { type Insertable, type Selectable, sql } from 'kysely'
import { listOwned } from '../db/owned.queries.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import type { OverlayTable } from '../db/schema/pages.ts'
import type { Answer, Overlay, OverlayEntry } from './overlay.ts'

export async function insertOverlay(db: Db, values: Insertable<OverlayTable>): Promise<number> {
  const { id } = await db
    .insertInto('overlays')
    .values(values)
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function listOverlays(
  db: Db,
  accountId: number,
  page: PageQuery,
): Promise<Page<OverlayEntry>> {
  const columns = ['id', 'type', 'name', 'created_at'] as const
  const { entries, total } = await listOwned(db, 'overlays', columns, accountId, page)
  return {
    entries: entries.map(({ created_at: createdAt, ...entry }) => ({ ...entry, createdAt })),
    total,
  }
}

/** Stores a visitor's response to an overlay. */
export async function insertAnswer(
  db: Db,
  { overlayId, linkId, answer }: Omit<Answer, 'id' | 'createdAt'> & { overlayId: number },
): Promise<void> {
  await db
    .insertInto('overlay_answers')
    .values({ overlay_id: overlayId, link_id: linkId, answer: JSON.stringify(answer) })
    .execute()
}

/** Returns up to `limit` responses to an account's overlay after the response `after`. */
export async function listAnswers(
  db: Db,
  accountId: number,
  overlayId: number,
  { after, limit }: { after: number; limit: number },
): Promise<Answer[]> {
  return db
    .selectFrom('overlay_answers as a')
    .innerJoin('overlays as o', 'o.id', 'a.overlay_id')
    .select(['a.id', 'a.link_id as linkId', 'a.answer', 'a.created_at as createdAt'])
    .where('o.account_id', '=', accountId)
    .where('a.overlay_id', '=', overlayId)
    .where('a.id', '>', after)
    .orderBy('a.id')
    .limit(limit)
    .execute()
}

/** Returns the latest responses to an account's overlay, newest first. */
export async function listLatestAnswers(
  db: Db,
  accountId: number,
  overlayId: number,
  limit: number,
): Promise<Answer[]> {
  return db
    .selectFrom('overlay_answers as a')
    .innerJoin('overlays as o', 'o.id', 'a.overlay_id')
    .select(['a.id', 'a.link_id as linkId', 'a.answer', 'a.created_at as createdAt'])
    .where('o.account_id', '=', accountId)
    .where('a.overlay_id', '=', overlayId)
    .orderBy('a.id', 'desc')
    .limit(limit)
    .execute()
}

/** Returns the votes per option of a poll, including removed options. */
export async function countChoices(
  db: Db,
  accountId: number,
  overlayId: number,
): Promise<{ choice: string; count: number }[]> {
  const choice = sql<string>`coalesce(a.answer ->> 'choice', '')`
  return db
    .selectFrom('overlay_answers as a')
    .innerJoin('overlays as o', 'o.id', 'a.overlay_id')
    .select([choice.as('choice'), sql<number>`count(*)`.as('count')])
    .where('o.account_id', '=', accountId)
    .where('a.overlay_id', '=', overlayId)
    .groupBy(choice)
    .execute()
}

export function toOverlay(row: Selectable<OverlayTable>): Overlay {
  const { id, type, name, text, button, link, image, options, created_at: createdAt } = row
  return { id, type, name, text, button, link, image, options, createdAt }
}

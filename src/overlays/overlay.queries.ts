import { type Insertable, type Selectable, sql } from 'kysely'
import { listOwned } from '../db/owned.queries.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { countRows } from '../db/row-counts.queries.ts'
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

/** The maximum bytes of an overlay's responses. Above it, the oldest tenth is deleted. */
export const MAX_ANSWER_BYTES = 10 * 1_048_576

/**
 * Stores a visitor's response to an overlay. Deletes the oldest responses if there are too many, so
 * that strangers can neither fill the disk nor close the form for others.
 */
export async function insertAnswer(
  db: Db,
  { overlayId, linkId, answer }: Omit<Answer, 'id' | 'createdAt'> & { overlayId: number },
): Promise<void> {
  await sql`
    insert into overlay_answers (overlay_id, link_id, answer, account_id)
    select id, ${linkId}::bigint, ${JSON.stringify(answer)}::jsonb, account_id
    from overlays where id = ${overlayId}`.execute(db)
  if ((await countRows(db, 'answer_bytes', overlayId)) <= MAX_ANSWER_BYTES) return
  await sql`
    delete from overlay_answers where overlay_id = ${overlayId} and id <= (
      select id from (
        select id, sum(150 + octet_length(answer::text)) over (order by id desc) as bytes
        from overlay_answers where overlay_id = ${overlayId}) as sized
      where bytes > ${0.9 * MAX_ANSWER_BYTES}
      order by id desc limit 1)`.execute(db)
}

/**
 * Deletes responses that are older than `days`, a batch at a time, since many may have come on the
 * same day.
 */
export async function deleteOldAnswers(db: Db, days: number): Promise<void> {
  await sql`
    delete from overlay_answers where id in (
      select id from overlay_answers
      where created_at < now() - ${days}::int * interval '1 day'
      order by created_at limit ${OLD_ANSWERS_BATCH})`.execute(db)
}

const OLD_ANSWERS_BATCH = 10_000

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

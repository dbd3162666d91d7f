import type { Selectable } from 'kysely'
import { type Page, type PageQuery, pageOfIds } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import type { ChannelTable } from '../db/schema.ts'
import type { Channel } from './channel.ts'

type Columns = Omit<Channel, 'id'>

export async function insertChannel(db: Db, accountId: number, columns: Columns): Promise<Channel> {
  const row = await db
    .insertInto('channels')
    .values({ ...columns, account_id: accountId })
    .returningAll()
    .executeTakeFirstOrThrow()
  return toChannel(row)
}

export async function listChannels(
  db: Db,
  accountId: number,
  page: PageQuery,
): Promise<Page<Channel>> {
  const { ids, total } = await pageOfIds(db, 'channels', accountId, page)
  if (ids.length === 0) return { entries: [], total }
  const rows = await db
    .selectFrom('channels')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', 'in', ids)
    .orderBy('id', 'desc')
    .execute()
  return { entries: rows.map(toChannel), total }
}

export async function findChannel(
  db: Db,
  accountId: number,
  id: number,
): Promise<Channel | undefined> {
  const row = await db
    .selectFrom('channels')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && toChannel(row)
}

/** Changes a channel of an account; `changes` must not be empty. */
export async function updateChannel(
  db: Db,
  accountId: number,
  id: number,
  changes: Partial<Columns>,
): Promise<Channel | undefined> {
  const row = await db
    .updateTable('channels')
    .set(changes)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  return row && toChannel(row)
}

/** Deletes a channel of an account, not what is in it; says whether there was one. */
export async function deleteChannel(db: Db, accountId: number, id: number): Promise<boolean> {
  const row = await db
    .deleteFrom('channels')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

function toChannel(row: Selectable<ChannelTable>): Channel {
  const { id, name, description, color, starred } = row
  return { id, name, description, color, starred }
}

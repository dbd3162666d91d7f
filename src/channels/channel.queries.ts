import type { Selectable } from 'kysely'
import { findOwned, listOwned, updateOwned } from '../db/owned.queries.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import type { ChannelTable } from '../db/schema/groups.ts'
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
  const columns = ['id', 'name', 'description', 'color', 'starred'] as const
  return listOwned(db, 'channels', columns, accountId, page)
}

export async function findChannel(
  db: Db,
  accountId: number,
  id: number,
): Promise<Channel | undefined> {
  const row = await findOwned(db, 'channels', accountId, id)
  return row && toChannel(row)
}

/**
 * Updates a channel. Returns undefined if the account has no such channel. `changes` must not be
 * empty.
 */
export async function updateChannel(
  db: Db,
  accountId: number,
  id: number,
  changes: Partial<Columns>,
): Promise<Channel | undefined> {
  const row = await updateOwned(db, 'channels', accountId, id, changes)
  return row && toChannel(row)
}

function toChannel(row: Selectable<ChannelTable>): Channel {
  const { id, name, description, color, starred } = row
  return { id, name, description, color, starred }
}

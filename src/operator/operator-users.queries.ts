import { sql } from 'kysely'
import { lowercase } from '../accounts/ignoring-case.queries.ts'
import type { Db } from '../db/pool.ts'
import { foldCase } from '../text.ts'
import type { OperatorUser, UserEntry, UserFilter } from './operator-user.ts'

const COLUMNS = [
  'id',
  'email',
  'admin',
  'has_second_factor as hasSecondFactor',
  'email_verified as emailVerified',
  'created_at as createdAt',
] as const
const hasPassword = sql<boolean>`password_hash is not null`.as('hasPassword')

/** Returns up to `limit` matching users, newest first, starting before the user `before`. */
export function findUsers(
  db: Db,
  { text, admins }: UserFilter,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<UserEntry[]> {
  let query = db
    .selectFrom('users')
    .select([...COLUMNS, hasPassword])
    .select(({ selectFrom, fn }) =>
      selectFrom('members')
        .select(fn.countAll<number>().as('accounts'))
        .whereRef('user_id', '=', 'users.id')
        .$asScalar()
        .$notNull()
        .as('accounts'),
    )
  if (text) query = query.where(sql<boolean>`strpos(${lowercase('email')}, ${foldCase(text)}) > 0`)
  if (admins) query = query.where('admin', '=', true)
  if (before !== undefined) query = query.where('id', '<', before)
  return query.orderBy('id', 'desc').limit(limit).execute()
}

export function findOperatorUser(db: Db, id: number): Promise<OperatorUser | undefined> {
  return db
    .selectFrom('users')
    .select([...COLUMNS, hasPassword])
    .where('id', '=', id)
    .executeTakeFirst()
}

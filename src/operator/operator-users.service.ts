import { sql } from 'kysely'
import { lowercase } from '../db/ignoring-case.queries.ts'
import type { Db } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import { listMemberships, type Membership } from '../identity/member.service.ts'
import { isConnected } from '../identity/oidc/sign-in.service.ts'
import type { User } from '../identity/user.ts'
import { foldCase, isStorable } from '../text.ts'

/** A user as shown to admins. */
type OperatorUser = User & {
  admin: boolean
  hasPassword: boolean
  hasSecondFactor: boolean
  emailVerified: boolean
  createdAt: Date
}

export type UserEntry = OperatorUser & { accounts: number }

export type UserDetails = OperatorUser & {
  memberships: readonly Membership[]
  /** Whether the user has an identity at the provider. */
  isConnected: boolean
}

type UserFilter = {
  /** A part of the email address, ignoring case. */
  text?: string | undefined
  admins?: boolean | undefined
}

const COLUMNS = [
  'id',
  'email',
  'admin',
  'has_second_factor as hasSecondFactor',
  'email_verified as emailVerified',
  'created_at as createdAt',
] as const

const hasPassword = sql<boolean>`password_hash is not null`.as('hasPassword')

/** Lists up to `limit` matching users, newest first, with the cursor of the next page. */
export async function listOperatorUsers(
  db: Db,
  filter: UserFilter,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<{ entries: UserEntry[]; older: number | undefined }> {
  // PostgreSQL cannot store such text, so no user has it.
  if (filter.text !== undefined && !isStorable(filter.text)) {
    return { entries: [], older: undefined }
  }
  const users = await findUsers(db, filter, { before, limit: limit + 1 })
  const entries = users.slice(0, limit)
  return { entries, older: users.length > limit ? entries.at(-1)?.id : undefined }
}

/** Returns a user. @throws AppError `not_found` */
export async function getOperatorUser(db: Db, id: number): Promise<UserDetails> {
  const user = await findOperatorUser(db, id)
  if (!user) throw new AppError('not_found')
  const memberships = await listMemberships(db, id)
  return { ...user, memberships, isConnected: await isConnected(db, id) }
}

/** Returns up to `limit` matching users, newest first, starting before the user `before`. */
function findUsers(
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

function findOperatorUser(db: Db, id: number): Promise<OperatorUser | undefined> {
  return db
    .selectFrom('users')
    .select([...COLUMNS, hasPassword])
    .where('id', '=', id)
    .executeTakeFirst()
}

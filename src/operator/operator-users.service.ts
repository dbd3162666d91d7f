import type { Db } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import { listMemberships } from '../people/member.service.ts'
import { hasIdentity } from '../people/oidc/identity.queries.ts'
import { isStorable } from '../text.ts'
import type { UserDetails, UserEntry, UserFilter } from './operator-user.ts'
import { findOperatorUser, findUsers } from './operator-users.queries.ts'

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
  const isConnected = await hasIdentity(db, id)
  return { ...user, memberships, isConnected }
}

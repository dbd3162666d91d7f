import type { Selectable } from 'kysely'
import type { Db } from '../db/pool.ts'
import { preparedText } from '../db/prepared.ts'
import type { AccountTable, RateWindowTable } from '../db/schema/accounts.ts'
import { AHEAD_SECONDS, isOpen, WINDOW_SECONDS } from './rate-window.queries.ts'

type AccountRow = Omit<Selectable<AccountTable>, 'password_hash' | 'deleting_since'>

/** A rate window: its end in Unix seconds, and the seconds that are left of it. */
export type WindowRow = Pick<Selectable<RateWindowTable>, 'hits'> & {
  ends_at: number
  left: number
}

/** The account is that of the key; its columns are null for a request without a valid one. */
export type AccessRow = WindowRow & Omit<AccountRow, 'id'> & { id: AccountRow['id'] | null }

/** Counts requests of the key with this hash, or of the stranger; says whose key it is. */
export async function countRequest(
  db: Db,
  { hash, stranger, count }: { hash: Buffer | undefined; stranger: string; count: number },
): Promise<AccessRow> {
  const [row] = await COUNT(db, [hash ?? null, stranger, WINDOW_SECONDS, count])
  if (!row) throw new Error('a request was counted without an answer')
  return row
}

/** Those of the hashes that belong to valid keys. */
export async function findValidKeys(db: Db, hashes: readonly Buffer[]): Promise<Buffer[]> {
  const rows = await FIND_VALID(db, [hashes])
  return rows.map(({ hash }) => hash)
}

/** The window that a subject is in, without a further hit. */
export async function findWindow(db: Db, subject: string): Promise<WindowRow | undefined> {
  const [row] = await PEEK(db, [subject, WINDOW_SECONDS])
  return row
}

/**
 * Key check and rate limit in one statement, on the database's clock, so that the limit is exact
 * however many processes and machines serve. The window opens with the first request and is fixed;
 * its moment is taken once, before waiting for the row, so both of its columns change together. A
 * request without a valid key counts against `$2`, which stands for the caller's address. Requests of
 * one caller that come while one of them is being counted are counted together, as `$4`.
 */
const COUNT = preparedText<AccessRow>(`
with caller as (
  select k.id as key_id, k.last_used_at, a.id, a.email, a.username, a.plan, a.expires_at,
         a.suspended_at, a.registered_at
  from api_keys k join accounts a on a.id = k.account_id
  where k.hash = $1 and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > clock_timestamp())
), used as (
  update api_keys set last_used_at = clock_timestamp()
  where id in (select key_id from caller where last_used_at is null
               or last_used_at not between clock_timestamp() - interval '1 minute'
                                       and clock_timestamp() + interval '1 minute')
), rate as (
  insert into rate_windows as w (subject, started_at, hits)
  values (coalesce((select 'key:' || key_id from caller), $2), clock_timestamp(), $4)
  on conflict (subject) do update set
    hits = case when ${isOpen('$3')}
                then w.hits + excluded.hits else excluded.hits end,
    started_at = case when ${isOpen('$3')}
                      then w.started_at else excluded.started_at end
  returning hits, started_at + $3 * interval '1 second' as ends_at
)
select caller.*, rate.hits, extract(epoch from rate.ends_at)::float8 as ends_at,
       extract(epoch from rate.ends_at - clock_timestamp())::float8 as left
from rate left join caller on true`)

const FIND_VALID = preparedText<{ hash: Buffer }>(`
select hash from api_keys
where hash = any($1::bytea[]) and revoked_at is null
  and (expires_at is null or expires_at > clock_timestamp())`)

const PEEK = preparedText<WindowRow>(`
select hits, extract(epoch from started_at + $2 * interval '1 second')::float8 as ends_at,
       extract(epoch from started_at + $2 * interval '1 second' - clock_timestamp())::float8 as left
from rate_windows
where subject = $1 and started_at > clock_timestamp() - $2 * interval '1 second'
  and started_at < clock_timestamp() + interval '${AHEAD_SECONDS} seconds'`)

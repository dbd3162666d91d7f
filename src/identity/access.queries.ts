import type { Selectable } from 'kysely'
import { textArray } from '../db/arrays.ts'
import type { Db } from '../db/pool.ts'
import { prepareStatement } from '../db/prepared.ts'
import { isInWindow, MAX_CLOCK_SKEW_SECONDS, WINDOW_SECONDS } from '../db/rate-window.queries.ts'
import type { Accounts, ApiKeys, RateWindows } from '../db/tables.generated.ts'

type AccountRow = Omit<Selectable<Accounts>, 'deleting_since'>

/** A rate limit window, with its end in Unix seconds and the number of seconds left. */
export type WindowRow = Pick<Selectable<RateWindows>, 'hits'> & {
  ends_at: number
  secondsLeft: number
}

/**
 * Requests to count together: they either use the key with this hash, or come from one IP address
 * without a valid key.
 */
export type Caller = { hash: Buffer | undefined; addressSubject: string; count: number }

/** The domain columns are null unless the key is bound to a domain. */
type KeyRow = {
  key_id: number
  scope: Selectable<ApiKeys>['scope']
  domain_id: number | null
  host: string
  origin: string
}

/**
 * The account and the key, and the rate limit window including every request of the statement.
 * Without a valid key, the columns of the account and the key are null.
 */
export type AccessRow = WindowRow &
  KeyRow &
  Omit<AccountRow, 'id'> & { id: AccountRow['id'] | null; subject: string }

/** Counts requests with and without keys. Returns one row per caller, in order. */
export async function countRequests(db: Db, callers: readonly Caller[]): Promise<AccessRow[]> {
  const rows = await countStatement(db, [...toLists(callers), WINDOW_SECONDS])
  if (rows.length !== callers.length) throw new Error('the rate limit query returned too few rows')
  return rows
}

/** Returns callers like `countRequests`, without counting them, which requires no write. */
export function readCallers(
  db: Db,
  callers: readonly Caller[],
): Promise<(Omit<AccessRow, keyof WindowRow> & { count: number })[]> {
  return readStatement(db, toLists(callers))
}

function toLists(callers: readonly Caller[]) {
  const hashes = callers.map(({ hash }) => hash && `\\x${hash.toString('hex')}`)
  const addressSubjects = callers.map(({ addressSubject }) => addressSubject)
  const counts = callers.map(({ count }) => count)
  return [hashes, addressSubjects, counts].map(textArray)
}

/** Returns the hashes that belong to valid keys. */
export async function findValidKeys(db: Db, hashes: readonly Buffer[]): Promise<Buffer[]> {
  const rows = await selectValidKeys(db, [hashes])
  return rows.map(({ hash }) => hash)
}

/** Returns the current window of a subject, or undefined if it has none. Counts no request. */
export async function findWindow(db: Db, subject: string): Promise<WindowRow | undefined> {
  const [row] = await selectWindow(db, [subject, WINDOW_SECONDS])
  return row
}

/** SQL: the callers of a batch, with their accounts and keys. */
const CALLERS = `with requested as materialized (
  select * from unnest((select $1::bytea[]), (select $2::text[]), (select $3::int[]))
    with ordinality as requested (hash, address_subject, count, position)
), caller as materialized (
  select requested.position, requested.count, coalesce('key:' || k.id, requested.address_subject) as subject,
         k.id as key_id, k.last_used_at, k.scope, d.id as domain_id, d.host, d.origin,
         a.id, a.email, a.username, a.plan, a.expires_at, a.suspended_at, a.registered_at
  from requested
  left join api_keys k on k.hash = requested.hash and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > clock_timestamp())
  left join accounts a on a.id = k.account_id
  left join domains d on d.id = k.domain_id
)`

/**
 * Checks the key and counts the request in one statement. It uses the database's clock, so limits
 * are exact across processes and machines. A window starts with its first request and has a fixed
 * length.
 *
 * The statement reads the time before it waits for the row lock, so both window columns change
 * together. A request without a valid key counts against `addressSubject`, a hash of the caller's
 * IP address. Rows are locked in a fixed order to avoid deadlocks, and keys locked by another
 * statement are not updated. Subqueries hide the lengths of the lists, because PostgreSQL would
 * otherwise replan the statement for short lists.
 */
const countStatement = prepareStatement<AccessRow>(`
${CALLERS}, used as (
  update api_keys set last_used_at = clock_timestamp()
  where id = any (array(
    select id from api_keys
    where id = any (array(
      select key_id from caller
      where key_id is not null
        and (last_used_at is null
             or last_used_at not between clock_timestamp() - interval '1 minute'
                                     and clock_timestamp() + interval '1 minute')))
    for no key update skip locked))
), rate as (
  insert into rate_windows as w (subject, started_at, hits)
  select subject, clock_timestamp(), sum(count) from caller group by subject order by subject
  on conflict (subject) do update set
    hits = case when ${isInWindow('$4')}
                then w.hits + excluded.hits else excluded.hits end,
    started_at = case when ${isInWindow('$4')}
                      then w.started_at else excluded.started_at end
  returning subject, hits, started_at + $4 * interval '1 second' as ends_at
)
select subject, key_id, scope, domain_id, host, origin,
       id, email, username, plan, expires_at, suspended_at, registered_at, hits,
       extract(epoch from ends_at)::float8 as ends_at,
       extract(epoch from ends_at - clock_timestamp())::float8 as "secondsLeft"
from caller join rate using (subject)
order by position`)

const readStatement = prepareStatement<Omit<AccessRow, keyof WindowRow> & { count: number }>(`
${CALLERS}
select subject, count, key_id, scope, domain_id, host, origin,
       id, email, username, plan, expires_at, suspended_at, registered_at
from caller
order by position`)

const selectValidKeys = prepareStatement<{ hash: Buffer }>(`
select hash from api_keys
where hash = any($1::bytea[]) and revoked_at is null
  and (expires_at is null or expires_at > clock_timestamp())`)

const selectWindow = prepareStatement<WindowRow>(`
select hits, extract(epoch from started_at + $2 * interval '1 second')::float8 as ends_at,
       extract(epoch from started_at + $2 * interval '1 second' - clock_timestamp())::float8 as "secondsLeft"
from rate_windows
where subject = $1 and started_at > clock_timestamp() - $2 * interval '1 second'
  and started_at < clock_timestamp() + interval '${MAX_CLOCK_SKEW_SECONDS} seconds'`)

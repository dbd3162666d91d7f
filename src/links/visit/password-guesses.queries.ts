import { sql } from 'kysely'
import { notify } from '../../db/notify.ts'
import type { Db } from '../../db/pool.ts'
import { prepareStatement } from '../../db/prepared.ts'
import { inTransaction } from '../../db/transaction.ts'

/** The number of wrong guesses per link before the next guess must wait. */
const FREE_GUESSES = 30
/** The number of wrong guesses forgiven per hour. */
const FORGIVEN_PER_HOUR = 10
/**
 * The maximum wait in seconds. The wait starts at one second and doubles with each further wrong
 * guess.
 */
const MAX_WAIT_SECONDS = 900
/** The number of recent visitors stored per link. */
const KNOWN_VISITORS = 1000

/**
 * SQL: the number of wrong guesses of row `g` that are not yet forgiven at `now`. If the clock was
 * set back, none are forgiven.
 */
const remainingGuesses = (now: string) => `greatest(0, g.wrong
  - greatest(0, extract(epoch from ${now} - g.last_at)) * ${FORGIVEN_PER_HOUR} / 3600)::float8`

/** SQL: the time until which guesses must wait after a number of wrong guesses, or null. */
const waitUntil = (
  wrong: string,
  now: string,
) => `case when ${wrong} > ${FREE_GUESSES} then ${now} + interval '1 second'
  * least(${MAX_WAIT_SECONDS}, power(2, least(${wrong} - ${FREE_GUESSES}, 20)) / 2) end`

const countGuess = prepareStatement<{ wrong: number | null; wait: number | null }>(`
with known as (
  select from link_known_visitors where link_id = $1 and visitor = $2
), counted as (
  insert into link_guesses as g (link_id, wrong, last_at) values ($1, 1, clock_timestamp())
  on conflict (link_id) do update set
    wrong = ${remainingGuesses('excluded.last_at')} + 1,
    last_at = excluded.last_at,
    waits_until = ${waitUntil(`(${remainingGuesses('excluded.last_at')} + 1)`, 'excluded.last_at')}
  where g.waits_until is null or exists (select from known)
    or g.waits_until not between excluded.last_at
                             and excluded.last_at + interval '${MAX_WAIT_SECONDS} seconds'
  returning wrong
)
select wrong, null::float8 as wait from counted
union all
select null, extract(epoch from waits_until - clock_timestamp())::float8
from link_guesses where link_id = $1 and not exists (select from counted)`)

/**
 * `wait` is the number of seconds until the next guess, if this one is not allowed. `isFirstToWait`
 * is whether this guess is the first above the limit.
 */
export type StartedGuess = { wait: number } | { wait: undefined; isFirstToWait: boolean }

/**
 * Counts a guess as wrong before the password is checked, so that concurrent guesses cannot all
 * pass. The count is shared by all processes. If guesses at this link must wait and the visitor is
 * not known, returns the seconds to wait instead.
 */
export async function startGuess(db: Db, linkId: number, visitor: string): Promise<StartedGuess> {
  const [row] = await countGuess(db, [linkId, visitor])
  if (row?.wrong) {
    const { wrong } = row
    return { wait: undefined, isFirstToWait: wrong > FREE_GUESSES && wrong <= FREE_GUESSES + 1 }
  }
  // If the link has no row yet, a concurrent guess is creating it. A wait may also have ended just
  // now.
  return { wait: Math.max(1, row?.wait ?? 1) }
}

/** Removes a correct guess from the link's count, and ends any wait for further guesses. */
export async function removeGuess(db: Db, linkId: number): Promise<void> {
  await db
    .updateTable('link_guesses')
    .set(({ eb, fn }) => ({
      wrong: fn<number>('greatest', [sql.lit(0), eb('wrong', '-', 1)]),
      waits_until: null,
    }))
    .where('link_id', '=', linkId)
    .execute()
}

/**
 * Stores a visitor who entered the right password, and deletes the oldest visitors above the limit.
 */
export async function rememberVisitor(db: Db, linkId: number, visitor: string): Promise<void> {
  const added = await db
    .insertInto('link_known_visitors')
    .values({ link_id: linkId, visitor })
    .onConflict((conflict) =>
      conflict
        .columns(['link_id', 'visitor'])
        .doUpdateSet({ seen_at: sql<Date>`now()` })
        .where('link_known_visitors.seen_at', '<', sql<Date>`now() - interval '1 day'`),
    )
    .executeTakeFirst()
  if (!added.numInsertedOrUpdatedRows) return
  await db
    .deleteFrom('link_known_visitors')
    .where('link_id', '=', linkId)
    .where('visitor', 'in', (eb) =>
      eb
        .selectFrom('link_known_visitors')
        .select('visitor')
        .where('link_id', '=', linkId)
        .orderBy('seen_at', 'desc')
        .offset(KNOWN_VISITORS)
        .forUpdate()
        .skipLocked(),
    )
    .execute()
}

/** The numbers of password guesses at a link. */
export type LinkGuesses = {
  /** Wrong guesses that are not yet forgiven. */
  wrong: number
  /** The time until which unknown visitors must wait, or null. */
  waitsUntil: Date | null
  /** The number of visitors who recently entered the right password. They never wait. */
  knownVisitors: number
}

/** Returns the numbers of password guesses at a link. */
export async function findGuesses(db: Db, linkId: number): Promise<LinkGuesses> {
  const { rows } = await sql<{ wrong: number; waits_until: Date | null; known: number }>`
    select coalesce(max(ceil(${sql.raw(remainingGuesses('now()'))})), 0)::integer as wrong,
      max(g.waits_until) filter (where g.waits_until > now()) as waits_until,
      (select count(*) from link_known_visitors where link_id = ${linkId})::integer as known
    from link_guesses g where g.link_id = ${linkId}`.execute(db)
  const [row] = rows
  return {
    wrong: row?.wrong ?? 0,
    waitsUntil: row?.waits_until ?? null,
    knownVisitors: row?.known ?? 0,
  }
}

/**
 * Replaces a link's password hash with `newHash`. If the owner has changed the password in the
 * meantime, does nothing and returns the hash in `link`.
 */
export async function replaceHash(
  db: Db,
  { id, passwordHash }: { id: number; passwordHash: string },
  newHash: string,
): Promise<string> {
  return inTransaction(db, async (tx) => {
    const replaced = await tx
      .updateTable('links')
      .set({ password_hash: newHash })
      .where('id', '=', id)
      .where('password_hash', '=', passwordHash)
      .returning(['domain_id', 'alias'])
      .executeTakeFirst()
    if (!replaced) return passwordHash
    const { domain_id: domainId, alias } = replaced
    await notify(tx, [{ kind: 'link', domainId, alias }])
    return newHash
  })
}

import { sql } from 'kysely'
import { notify } from '../db/notify.ts'
import type { Db } from '../db/pool.ts'
import { preparedText } from '../db/prepared.ts'
import { inTransaction } from '../db/transaction.ts'

/** Guesses at one link that may be wrong before the next one has to wait. */
const FREE = 30
/** So many of them are forgiven in an hour. */
const FORGIVEN_PER_HOUR = 10
/** Each wrong guess beyond doubles the wait from a second on, up to so many seconds. */
const LONGEST_WAIT = 900
/** Visitors of one link who are remembered, the last ones. */
const KNOWN_VISITORS = 1000

/** SQL: what is left at `now` of the wrong guesses of the row `g`; a clock set back forgives nothing. */
const leftAt = (now: string) => `greatest(0, g.wrong
  - greatest(0, extract(epoch from ${now} - g.last_at)) * ${FORGIVEN_PER_HOUR} / 3600)::float8`

/** SQL: the moment until which guesses wait after as many wrong ones; null for no wait. */
const waitAfter = (
  wrong: string,
  now: string,
) => `case when ${wrong} > ${FREE} then ${now} + interval '1 second'
  * least(${LONGEST_WAIT}, power(2, least(${wrong} - ${FREE}, 20)) / 2) end`

const BEGIN = preparedText<{ wrong: number | null; wait: number | null }>(`
with known as (
  select from link_known_visitors where link_id = $1 and visitor = $2
), begun as (
  insert into link_guesses as g (link_id, wrong, last_at) values ($1, 1, clock_timestamp())
  on conflict (link_id) do update set
    wrong = ${leftAt('excluded.last_at')} + 1,
    last_at = excluded.last_at,
    waits_until = ${waitAfter(`(${leftAt('excluded.last_at')} + 1)`, 'excluded.last_at')}
  where g.waits_until is null or exists (select from known)
    or g.waits_until not between excluded.last_at
                             and excluded.last_at + interval '${LONGEST_WAIT} seconds'
  returning wrong
)
select wrong, null::float8 as wait from begun
union all
select null, extract(epoch from waits_until - clock_timestamp())::float8
from link_guesses where link_id = $1 and not exists (select from begun)`)

export type Begun = { wait: number } | { wait: undefined; isFirstToWait: boolean }

/**
 * Counts a guess at a link's password as wrong, for all processes together, before it is looked at: who
 * comes at the same time must not all pass. Or gives the seconds that guesses at this link wait, unless
 * the visitor is known.
 */
export async function beginGuess(db: Db, linkId: number, visitor: string): Promise<Begun> {
  const [row] = await BEGIN(db, [linkId, visitor])
  if (row?.wrong) {
    const { wrong } = row
    return { wait: undefined, isFirstToWait: wrong > FREE && wrong <= FREE + 1 }
  }
  // Without a row another one made the first guess at the same moment; a wait may have just ended.
  return { wait: Math.max(1, row?.wait ?? 1) }
}

/** Takes back a guess that was right: those who wait because of it need not. */
export async function takeBackGuess(db: Db, linkId: number): Promise<void> {
  await db
    .updateTable('link_guesses')
    .set(({ eb, fn }) => ({
      wrong: fn<number>('greatest', [sql.lit(0), eb('wrong', '-', 1)]),
      waits_until: null,
    }))
    .where('link_id', '=', linkId)
    .execute()
}

/** Remembers who knew the password of a link, and forgets who did so longest ago where they are many. */
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

/** What is known of the guesses at a link. */
export type LinkGuesses = {
  /** Wrong ones that are not forgiven yet. */
  wrong: number
  /** Until when those who are not known wait; null if they do not. */
  waitsUntil: Date | null
  /** Visitors who were right lately and do not wait. */
  knownVisitors: number
}

/**
 * How the password of a link is guessed at: wrong guesses that still count, the wait, visitors who
 * were right.
 */
export async function findGuesses(db: Db, linkId: number): Promise<LinkGuesses> {
  const { rows } = await sql<{ wrong: number; waits_until: Date | null; known: number }>`
    select coalesce(max(ceil(${sql.raw(leftAt('now()'))})), 0)::integer as wrong,
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
 * Puts a link's hash in the place of the one that the password was found right by; gives the one that
 * is in force, which is another where the owner has changed the password meanwhile.
 */
export async function replaceHash(
  db: Db,
  { id, passwordHash }: { id: number; passwordHash: string },
  better: string,
): Promise<string> {
  return inTransaction(db, async (tx) => {
    const replaced = await tx
      .updateTable('links')
      .set({ password_hash: better })
      .where('id', '=', id)
      .where('password_hash', '=', passwordHash)
      .returning(['domain_id', 'alias'])
      .executeTakeFirst()
    if (!replaced) return passwordHash
    const { domain_id: domainId, alias } = replaced
    await notify(tx, [{ kind: 'link', domainId, alias }])
    return better
  })
}

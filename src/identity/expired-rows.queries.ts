import { sql } from 'kysely'
import { MAINTENANCE_LOCK } from '../db/lock.ts'
import type { Db } from '../db/pool.ts'
import { DAILY_PREFIX, DAY_SECONDS } from '../db/rate-window.queries.ts'
import { getSessionCutoffs } from './session.ts'

/** The second half of the advisory lock key. The first is MAINTENANCE_LOCK. */
const EXPIRED_ROWS = 1

/** Visitors who last entered a link's password before this time are deleted. */
const VISITOR_CUTOFF = sql<Date>`now() - interval '30 days'`

/** Reports and holds settled before this time are deleted. */
const SETTLED_CUTOFF = sql<Date>`now() - interval '90 days'`

/** Link versions older than this are deleted. */
const VERSION_CUTOFF = sql<Date>`now() - interval '365 days'`
/** Many links may have changed on the same day, so each run deletes only some versions. */
const VERSIONS_BATCH = 10_000

/** The positions of edges without clicks since this time are deleted. */
const EDGE_CUTOFF = sql<Date>`now() - interval '400 days'`

/**
 * Rows are deleted once they expired before this time on the database's clock, even if this
 * program's clock is slow.
 */
const EXPIRATION_CUTOFF = sql<Date>`now() - interval '1 hour'`

/**
 * Deletes expired rows: rate limit windows, followed accounts, stored replies, counted guesses of
 * link passwords, unfinished sign-ins and second-factor setups, records of OAuth, reset links, known visitors, link versions, undo
 * actions, settled reports, released holds, edge positions and sessions.
 */
export async function deleteExpired(db: Db): Promise<void> {
  // Each statement takes the lock and deletes nothing while another process has it.
  const hasLock = sql<boolean>`
    (select pg_try_advisory_xact_lock(${MAINTENANCE_LOCK}::int, ${EXPIRED_ROWS}::int))`
  await db
    .deleteFrom('rate_windows')
    .where(hasLock)
    .where(({ eb, ref }) =>
      eb.not(
        eb.between(
          ref('started_at'),
          sql<Date>`now() - case when starts_with(subject, ${DAILY_PREFIX})
                                 then ${DAY_SECONDS}::int * interval '1 second'
                                 else interval '5 minutes' end`,
          sql<Date>`now() + interval '5 minutes'`,
        ),
      ),
    )
    .execute()
  await db
    .deleteFrom('followed_accounts')
    .where('until', '<', sql<Date>`now()`)
    .where(hasLock)
    .execute()
  await db
    .deleteFrom('idempotency_keys')
    .where('created_at', '<', sql<Date>`now() - interval '24 hours'`)
    .where(hasLock)
    .execute()
  await db
    .deleteFrom('link_guesses')
    .where('last_at', '<', sql<Date>`now() - interval '1 day'`)
    .where(hasLock)
    .execute()
  await db
    .deleteFrom('link_known_visitors')
    .where('seen_at', '<', VISITOR_CUTOFF)
    .where(hasLock)
    .execute()
  await db
    .deleteFrom('link_reports')
    .where('settled_at', '<', SETTLED_CUTOFF)
    .where(hasLock)
    .execute()
  await db
    .deleteFrom('held_links')
    .where('decision', '=', 'release')
    .where('decided_at', '<', SETTLED_CUTOFF)
    .where(hasLock)
    .execute()
  await db
    .deleteFrom('link_versions')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('link_id', 'id'),
        'in',
        selectFrom('link_versions')
          .select(['link_id', 'id'])
          .where('changed_at', '<', VERSION_CUTOFF)
          .orderBy('changed_at')
          .limit(VERSIONS_BATCH)
          .$asTuple('link_id', 'id'),
      ),
    )
    .where(hasLock)
    .execute()
  for (const table of [
    'factor_setups',
    'pending_sign_ins',
    'password_resets',
    'oauth_records',
  ] as const) {
    await db.deleteFrom(table).where('expires_at', '<', EXPIRATION_CUTOFF).where(hasLock).execute()
  }
  await db
    .deleteFrom('undo_actions')
    .where('created_at', '<', sql<Date>`now() - interval '1 day'`)
    .where(hasLock)
    .execute()
  await db
    .deleteFrom('journal_positions')
    .where('updated_at', '<', EDGE_CUTOFF)
    .where(({ fn, ref, val }) => fn<boolean>('starts_with', [ref('segment'), val('edge ')]))
    .where(hasLock)
    .execute()
  const { minLastUsedAt, minCreatedAt } = getSessionCutoffs(new Date())
  await db
    .deleteFrom('sessions')
    .where(({ eb, or }) =>
      or([eb('last_used_at', '<=', minLastUsedAt), eb('created_at', '<=', minCreatedAt)]),
    )
    .where(hasLock)
    .execute()
}

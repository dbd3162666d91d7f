import type pg from 'pg'
import { RANKS_LOCK } from '../../db/lock.ts'
import { WHOLE } from '../../db/row-counts.ts'
import { BUCKET_STARTS, EXACT } from './click-ranks.ts'

/** The bounds of the buckets as PostgreSQL reads an array. */
export const STARTS = `{${BUCKET_STARTS.join()}}`

/** Runs one statement, on whatever kind of connection the caller has. */
export type Run = <Row extends object>(text: string, values: unknown[]) => Promise<{ rows: Row[] }>

export function runOn(client: pg.ClientBase): Run {
  return <Row extends object>(text: string, values: unknown[]) => client.query<Row>(text, values)
}

/** An array, or its text. */
type List = readonly number[] | string

/** Each `links` of an account's block went from the bucket `before` to `after`. */
export type RankMoves = { accounts: List; blocks: List; before: List; after: List; links: List }

/** Puts rows of moves into `RankMoves`; each is null if there are none. */
export const GATHERED_MOVES = `array_agg(account_id)::text as accounts,
  array_agg(block)::text as blocks, array_agg(before)::text as before,
  array_agg(after)::text as after, array_agg(links)::text as links`

/** Who writes: imports keep apart, so that nobody else waits for their long transactions. */
export type Writer = 'import' | 'request'

/**
 * The accounts whose links are counted by their clicks. To be asked in the transaction that changes
 * clicks, before it does, and it has to move what it changed: until it ends, no further account
 * comes to be counted.
 */
export async function rankedAccounts(run: Run): Promise<number[]> {
  await run('select pg_advisory_xact_lock_shared($1)', [RANKS_LOCK])
  const { rows } = await run<{ account_id: number }>('select account_id from ranked_accounts', [])
  return rows.map(({ account_id }) => account_id)
}

/**
 * Moves links between the counters of their clicks. The rows are written in the order of their keys,
 * so that writers wait for each other, but never in a circle.
 */
export async function moveRanks(run: Run, writer: Writer, moves: RankMoves): Promise<void> {
  await run(
    `insert into link_ranks as r (account_id, bucket, block, slot, links)
     select account_id, bucket, part, $6 + pg_backend_pid() % 16, sum(change * links)
     from unnest($1::bigint[], $2::bigint[], $3::integer[], $4::integer[], $5::bigint[])
       m (account_id, block, before, after, links)
     cross join lateral (values (before, -1), (after, 1)) e (bucket, change)
     cross join lateral (values (case when bucket < ${EXACT} then block else ${WHOLE} end)) p (part)
     group by account_id, bucket, part having sum(change * links) <> 0
     order by account_id, bucket, part
     on conflict (account_id, bucket, block, slot) do update set links = r.links + excluded.links`,
    [
      moves.accounts,
      moves.blocks,
      moves.before,
      moves.after,
      moves.links,
      writer === 'import' ? 16 : 0,
    ],
  )
}

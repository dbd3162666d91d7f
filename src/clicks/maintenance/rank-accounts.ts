import type pg from 'pg'
import { RANKS_LOCK } from '../../db/lock.ts'
import { BLOCK_BITS } from '../../db/row-counts.ts'
import { inOwnTransaction } from '../import/own-transaction.ts'
import { GATHERED_MOVES, moveRanks, type RankMoves, runOn, STARTS } from './click-ranks.queries.ts'

/** Accounts with no more links have no page that is far from both ends of their list. */
const LARGE = 20_000
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Has the links of accounts with more than `large` of them counted by their clicks from now on.
 * Small accounts, which are nearly all, are spared it: on an import of clicks on a different account
 * each it would take as long as the totals themselves.
 */
export async function rankLargeAccounts(pool: pg.Pool, large = LARGE): Promise<void> {
  const { rows } = await pool.query<{ id: number }>(
    `select owner_id as id from row_counts where kind = 'links' and block = -1
     and not exists (select from ranked_accounts where account_id = owner_id)
     group by owner_id having sum(rows) > $1`,
    [large],
  )
  for (const { id } of rows) {
    try {
      await inOwnTransaction(pool, (client) => rankAccount(client, id))
    } catch (error) {
      // Imports that leave no gap: another time will do.
      if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error
    }
  }
}

/**
 * Waits for those who are changing clicks, and makes those wait who come: a second for a million
 * links.
 */
async function rankAccount(client: pg.ClientBase, accountId: number): Promise<void> {
  await client.query(`set local lock_timeout = '1s'`)
  await client.query('select pg_advisory_xact_lock($1)', [RANKS_LOCK])
  const { rowCount } = await client.query(
    'insert into ranked_accounts (account_id) values ($1) on conflict do nothing',
    [accountId],
  )
  if (rowCount === 0) return
  const { rows } = await client.query<RankMoves | Record<keyof RankMoves, null>>(
    `select ${GATHERED_MOVES} from (
       select account_id, link_id >> ${BLOCK_BITS} as block, 0 as before,
         width_bucket(clicks, $2::bigint[]) as after, count(*) as links
       from click_totals where account_id = $1 and listed and clicks > 0 group by 1, 2, 4
     ) moves`,
    [accountId, STARTS],
  )
  for (const moves of rows)
    if (moves.accounts !== null) await moveRanks(runOn(client), 'import', moves)
}

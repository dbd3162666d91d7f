import type { ConnectionPool } from '../src/db/connection-pool.ts'
import { generateKey, getKeyPrefix, hashKey } from '../src/identity/api-key.ts'
import { generateToken, hashToken } from '../src/identity/session.ts'

/** Returns the ID of the account that the first start creates. */
export async function readAccountId(pool: ConnectionPool): Promise<number> {
  const { rows } = await pool.query<{ id: number }>('select id from accounts order by id limit 1')
  return rows[0]?.id ?? 0
}

/**
 * Creates the links `<prefix>-1` to `<prefix>-<count>`, 100,000 per statement. `clicks` is an SQL
 * expression for each link's clicks. Returns the aliases.
 */
export async function createLinks(
  pool: ConnectionPool,
  { prefix, count, clicks = '0' }: { prefix: string; count: number; clicks?: string },
  log: (line: string) => void = () => {},
): Promise<string[]> {
  const owner = await readAccountId(pool)
  const batchSize = 100_000
  for (let first = 1; first <= count; first += batchSize) {
    const last = Math.min(count, first + batchSize - 1)
    await pool.query(
      `with created as (
         insert into links (account_id, alias, url)
         select $1, $2 || '-' || n, 'https://example.com/articles/' || n || '/a-page-somewhere'
         from generate_series($3::int, $4::int) n
         returning id
       ), counted as materialized (
         select id, ${clicks} as clicks from created
       ), clicked as (
         insert into click_totals (link_id, clicks) select id, clicks from counted where clicks > 0
       )
       select`,
      [owner, prefix, first, last],
    )
    if (count > batchSize) log(`${last.toLocaleString('en-US')} links`)
  }
  // The list of links sorted by clicks reads these copies of the totals.
  await pool.query(
    'update link_order o set clicks = t.clicks from click_totals t where t.link_id = o.link_id',
  )
  await pool.query('vacuum analyze')
  return Array.from({ length: count }, (_, index) => `${prefix}-${index + 1}`)
}

/** Changes a link's destination through the API. */
export async function changeLink(
  { url, key, database }: { url: string; key: string; database: { pool: ConnectionPool } },
  alias: string,
  destination: string,
): Promise<void> {
  const { rows } = await database.pool.query<{ id: number }>(
    'select id from links where alias = $1',
    [alias],
  )
  const reply = await fetch(`${url}/api/url/${rows[0]?.id}/update`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: destination }),
  })
  if (!reply.ok) throw new Error(`the change returned ${reply.status}: ${await reply.text()}`)
}

/** Creates accounts with one API key each. Returns the keys. */
export async function createAccounts(pool: ConnectionPool, count: number): Promise<string[]> {
  const keys = Array.from({ length: count }, generateKey)
  await pool.query(
    `with created as (
       insert into accounts (email, username)
       select 'bench-' || n || '@example.com', 'bench-' || n from generate_series(1, $1::int) n
       returning id, username
     )
     insert into api_keys (account_id, prefix, hash)
     select created.id, prefix, hash
     from unnest($2::text[], $3::bytea[]) with ordinality k (prefix, hash, n)
     join created on created.username = 'bench-' || n`,
    [count, keys.map(getKeyPrefix), keys.map(hashKey)],
  )
  return keys
}

/** Creates a console session for a member of the account. Returns its cookie. */
export async function createSession(pool: ConnectionPool, account: number): Promise<string> {
  const token = generateToken()
  await pool.query(
    `insert into sessions (user_id, account_id, hash, created_at, last_used_at)
     select user_id, account_id, $2, now(), now() from members where account_id = $1 limit 1`,
    [account, hashToken(token)],
  )
  return `brevis_session=${token}`
}

import { sql } from 'kysely'
import type { Db } from '../../db/pool.ts'
import { getKeyPrefix, hashKey } from '../api-key.ts'

/** What the authorization server stores, without the id or token of the record. */
type Payload = Record<string, unknown>
type Row = { payload: Payload; consumed: number | null }

/** The time that a client is known after its registration, and after its last token. */
const UNUSED_CLIENT_SECONDS = 86_400
const USED_CLIENT_SECONDS = 90 * 86_400

/**
 * Creates the storage of the authorization server for one kind of record. Ids of records are tokens,
 * so only their hashes are stored. The access token of a connection is the text of its key.
 */
export function createRecords(db: Db, model: string) {
  return {
    async upsert(
      id: string,
      { jti: _, client_secret: __, ...payload }: Payload,
      seconds?: number,
    ): Promise<void> {
      const { grantId = null, uid = null } = payload as { grantId?: string; uid?: string }
      const lifetime = seconds ?? UNUSED_CLIENT_SECONDS
      await sql`
        insert into oauth_records (model, hash, payload, grant_id, uid, expires_at)
        values (${model}, ${hashKey(id)}, ${JSON.stringify(payload)}::jsonb, ${grantId}, ${uid},
          now() + ${lifetime} * interval '1 second')
        on conflict (model, hash) do update set payload = excluded.payload,
          grant_id = excluded.grant_id, uid = excluded.uid, expires_at = excluded.expires_at`.execute(
        db,
      )
      if (model === 'AccessToken') await setAccessToken(db, id, { payload, seconds: lifetime })
    },

    find: (id: string) => findRecord(db, sql`model = ${model} and hash = ${hashKey(id)}`, id),

    findByUid: (uid: string) => findRecord(db, sql`model = ${model} and uid = ${uid}`),

    /** No device flow is offered. */
    findByUserCode: async () => undefined,

    async consume(id: string): Promise<void> {
      await sql`
        update oauth_records set consumed_at = now()
        where model = ${model} and hash = ${hashKey(id)}`.execute(db)
    },

    async destroy(id: string): Promise<void> {
      await sql`
        delete from oauth_records where model = ${model} and hash = ${hashKey(id)}`.execute(db)
      if (model !== 'AccessToken') return
      await sql`update api_keys set expires_at = now() where hash = ${hashKey(id)}`.execute(db)
    },

    /** Ends a connection, for example because its code was used twice. */
    async revokeByGrantId(grantId: string): Promise<void> {
      await sql`delete from oauth_records where grant_id = ${grantId}`.execute(db)
      await sql`
        update api_keys set revoked_at = now()
        where grant_id = ${grantId} and revoked_at is null`.execute(db)
    },
  }
}

/** Returns how many clients are registered. */
export async function countClients(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from oauth_records
    where model = 'Client' and expires_at > now()`.execute(db)
  return rows[0]?.count ?? 0
}

/** Returns a record, unless it has expired or belongs to a connection that has been revoked. */
async function findRecord(
  db: Db,
  condition: ReturnType<typeof sql>,
  id?: string,
): Promise<Payload | undefined> {
  const { rows } = await sql<Row>`
    select payload, extract(epoch from consumed_at)::int as consumed from oauth_records
    where ${condition} and expires_at > now() and not exists (
      select from api_keys
      where api_keys.grant_id = oauth_records.grant_id and revoked_at is not null)`.execute(db)
  const [row] = rows
  if (!row) return undefined
  return {
    ...row.payload,
    ...(id !== undefined && !('client_id' in row.payload) && { jti: id }),
    ...(row.consumed !== null && { consumed: row.consumed }),
  }
}

/** Makes an access token the text of its connection's key, and keeps the client. */
async function setAccessToken(
  db: Db,
  token: string,
  { payload, seconds }: { payload: Payload; seconds: number },
): Promise<void> {
  const { grantId, clientId } = payload as { grantId: string; clientId: string }
  await sql`
    update api_keys set hash = ${hashKey(token)}, prefix = ${getKeyPrefix(token)},
      expires_at = now() + ${seconds} * interval '1 second'
    where grant_id = ${grantId} and revoked_at is null`.execute(db)
  await sql`
    update oauth_records set expires_at = now() + ${USED_CLIENT_SECONDS} * interval '1 second'
    where model = 'Client' and hash = ${hashKey(clientId)}`.execute(db)
}

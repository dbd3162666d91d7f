import pg from 'pg'
import { KINDS, type Kind } from '../../db/local-store.ts'
import { ChangesPrunedError, type SourceState } from './feed.ts'

/** The changes since a position, read in one snapshot. */
export type ChangeReader = {
  /** The snapshot in which all changes are read. */
  position: string
  /**
   * Returns the next changed ids by kind, or an empty map at the end.
   */
  next(): Promise<Map<Kind, number[]>>
}

const READ_BATCH = 1000
const PRUNE_BATCH = 10_000
/**
 * `xmin:xmax:xip,…`.
 * https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-PG-SNAPSHOT
 */
const SNAPSHOT = /^(\d+):(\d+):((?:\d+(?:,\d+)*)?)$/

/** Returns the identity of the database and its current position. */
export async function readSource(client: pg.ClientBase): Promise<SourceState> {
  const { rows } = await client.query<SourceState>(`
    select token, encode(visitor_key, 'base64') as "visitorKey",
      pg_current_snapshot()::text as position,
      concat_ws(' ', token, 'changes'::regclass::oid,
        (select oid from pg_database where datname = current_database()),
        left(pg_walfile_name(pg_current_wal_lsn()), 8)) as source
    from instance`)
  const [source] = rows
  if (!source) throw new Error('the database has no instance yet')
  return { ...source, source: `${source.source} ${await readSystem(client)}` }
}

/** Returns the server's system identifier, or an empty string if the user may not read it. */
async function readSystem(client: pg.ClientBase): Promise<string> {
  try {
    const text = 'select system_identifier::text as id from pg_control_system()'
    return (await client.query<{ id: string }>(text)).rows[0]?.id ?? ''
  } catch (error) {
    if (error instanceof pg.DatabaseError) return ''
    throw error
  }
}

/**
 * Runs `work` with all changes since a position, read in one snapshot. The new position records the
 * transactions that are still running, so a long transaction does not delay other changes.
 *
 * @throws ChangesPrunedError if some of the changes have been deleted
 */
export async function readChanges(
  client: pg.ClientBase,
  since: string,
  work: (pass: ChangeReader) => Promise<void>,
): Promise<void> {
  const { xmin, xmax, xip } = parsePosition(since)
  // Sends all statements in one round trip, which is possible only without parameters.
  const results = (await client.query(`
    begin isolation level repeatable read read only;
    select pg_current_snapshot()::text as position,
      pruned_before <= '${xmin}' and '${xmax}' <= pg_snapshot_xmax(pg_current_snapshot())
        as "isComplete"
    from change_feed;
    declare changed no scroll cursor for
      select kind, unnest(ids) as id from changes
      where xid >= '${xmax}' or xid = any ('{${xip}}'::xid8[]);
    fetch ${READ_BATCH} from changed`)) as unknown as pg.QueryResult[]
  const [, snapshot, , firstBatch] = results
  const { position, isComplete } = snapshot?.rows[0] ?? {}
  if (!isComplete) throw new ChangesPrunedError('the changes since its position were deleted')
  let pendingBatch: Changed[] | undefined = firstBatch?.rows
  await work({
    position,
    async next() {
      const fetch = `fetch ${READ_BATCH} from changed`
      const rows = pendingBatch ?? (await client.query<Changed>(fetch)).rows
      // A partial batch is the last one.
      pendingBatch = rows.length < READ_BATCH ? [] : undefined
      return groupByKind(rows)
    },
  })
  await client.query('commit')
}

type Changed = { kind: string; id: number }

function groupByKind(rows: readonly Changed[]): Map<Kind, number[]> {
  const ids = new Map<Kind, number[]>()
  for (const kind of KINDS) {
    const changed = new Set(rows.flatMap((row) => (row.kind === kind ? row.id : [])))
    if (changed.size > 0) ids.set(kind, [...changed])
  }
  return ids
}

/** Deletes some of the changes that are older than an hour. Returns whether more may be left. */
export async function pruneChanges(client: pg.ClientBase): Promise<boolean> {
  await client.query(`
    update change_feed set pruned_before = prune_next, turned_at = now(),
      prune_next = pg_snapshot_xmin(pg_current_snapshot())
    where turned_at < now() - interval '1 hour'`)
  const { rowCount } = await client.query(`
    delete from changes where ctid = any (array(
      select ctid from changes where xid < (select pruned_before from change_feed)
      limit ${PRUNE_BATCH}))`)
  return rowCount === PRUNE_BATCH
}

function parsePosition(position: string): { xmin: string; xmax: string; xip: string } {
  const [, xmin, xmax, xip = ''] = SNAPSHOT.exec(position) ?? []
  if (!xmin || !xmax) throw new Error(`'${position}' is not a snapshot of PostgreSQL`)
  return { xmin, xmax, xip }
}

import pg from 'pg'
import { type ClientOptions, connect, destroyConnection, openClient } from '../../db/client.ts'
import { isReadOnlyError } from '../../db/connection-error.ts'
import { listen } from '../../db/listen.queries.ts'
import { KINDS, type Kind } from '../../db/local-store.ts'
import { readEntries, readNextEntries } from './entries.queries.ts'
import {
  type Changes,
  ChangesPrunedError,
  type OpenFeed,
  type Position,
  type Replacement,
  type SourceState,
} from './feed.ts'

/** Milliseconds between two reads. Changes with a notification are read immediately. */
const POLL_MS = 150
const LIMITS: Pick<ClientOptions, 'connectTimeout' | 'queryTimeout'> = {
  connectTimeout: 1500,
  queryTimeout: 10_000,
}

/** Creates the function that opens a feed of a database, using a separate connection. */
export function createDatabaseFeedOpener(url: string, name = 'follower'): OpenFeed {
  return async (signal) => {
    const client = openClient({ url, name, ...LIMITS })
    const wakeUp = createWakeUp()
    client.on('notification', wakeUp.notify)
    client.on('end', wakeUp.notify)
    // Without this, a frozen server would delay the shutdown until the query times out.
    const disconnect = () => destroyConnection(client)
    signal.addEventListener('abort', disconnect)
    const close = () => {
      signal.removeEventListener('abort', disconnect)
      disconnect()
    }
    try {
      await connect(client, url)
      // A replica rejects it. Its changes are found by polling.
      await unlessReadOnly(listen(client), undefined)
      return {
        source: await readSource(client),
        readNextEntries: (kind, page) => readNextEntries(client, kind, page),
        readChanges: (since) => readChanges(client, since),
        prune: () => unlessReadOnly(pruneChanges(client), false),
        wait: () => wakeUp.wait(POLL_MS),
        close,
      }
    } catch (error) {
      close()
      throw error
    }
  }
}

/** Returns the result of a statement, or `otherwise` if the database is read-only. */
function unlessReadOnly<T>(statement: Promise<T>, otherwise: T): Promise<T> {
  return statement.catch((error: unknown) => {
    if (isReadOnlyError(error)) return otherwise
    throw error
  })
}

/**
 * Returns the next changed entries. They are read after their ids, so repeated and reordered
 * changes do not matter: an entry that has changed again is read again.
 */
async function readChanges(client: pg.ClientBase, since: Position): Promise<Changes> {
  const { position, ids: changed } = await readChangedIds(client, since)
  const replacements: Replacement[] = []
  for (const [kind, ids] of changed) {
    replacements.push({ kind, ids, entries: await readEntries(client, kind, ids) })
  }
  return { position, replacements }
}

/** Creates a signal that ends a wait, even if the signal came before the wait. */
function createWakeUp() {
  let isNotified = false
  let wake = () => {}

  function notify(): void {
    isNotified = true
    wake()
  }

  async function wait(ms: number): Promise<void> {
    if (!isNotified) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    isNotified = false
  }

  return { notify, wait }
}

/** The ids that changed after a position, by kind, and the position after them. */
type ChangedIds = { position: Position; ids: Map<Kind, number[]> }

/** The maximum number of rows of `changes` to read at once. */
const READ_ROWS = 1000
/**
 * The approximate size of these rows. A row that lists 1,000 ids takes a few kilobytes, so this
 * limits a batch to a few thousand ids.
 */
const READ_BYTES = 24_000
const PRUNE_BATCH = 10_000
/**
 * `xmin:xmax:xip,…`.
 * https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-PG-SNAPSHOT
 */
const SNAPSHOT = /^(\d+):(\d+):((?:\d+(?:,\d+)*)?)$/

/** Returns the identity of the database and its current position. */
async function readSource(client: pg.ClientBase): Promise<SourceState> {
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
 * Returns the next changes after a position, in the order of transactions. A pass reads all changes
 * that were visible in one snapshot. Its transactions that were still running are read by the next
 * pass, so a long transaction does not delay other changes. Each batch is one statement, so that a
 * pass of any length holds no snapshot, and continues where it was cut off.
 *
 * @throws ChangesPrunedError if some of the changes have been deleted
 */
async function readChangedIds(client: pg.ClientBase, position: Position): Promise<ChangedIds> {
  const { since, target, xid, id } = parsePosition(position)
  const { xmin, xmax, xip } = parseSnapshot(since)
  const { rows } = await client.query<ChangedRow>(READ_CHANGES, [
    xmin,
    xmax,
    `{${xip}}`,
    target,
    xid,
    id,
  ])
  const [first] = rows
  if (!first?.isComplete) {
    throw new ChangesPrunedError('the changes since its position were deleted')
  }
  const last = rows.at(-1)
  return {
    position: last?.hasMore ? `${since} ${first.target} ${last.xid} ${last.id}` : first.target,
    ids: groupByKind(rows),
  }
}

type ChangedRow = {
  target: string
  isComplete: boolean
  /** Null if there are no changes. */
  xid: string | null
  id: string | null
  kind: string | null
  ids: number[] | null
  hasMore: boolean | null
}

/** Changes of transactions that were running in the snapshot, then those of later transactions. */
const READ_CHANGES = `
  with pass as (
    select coalesce($4::text, pg_current_snapshot()::text) as target,
      pruned_before <= $1::xid8 and $2::xid8 <= pg_snapshot_xmax(pg_current_snapshot())
        as is_complete
    from change_feed),
  changed as (
    ${selectChanges('xid = any ($3::xid8[])')} union all ${selectChanges('xid >= $2::xid8')}
    order by xid, id limit ${READ_ROWS}),
  sized as (
    select *, sum(pg_column_size(ids)) over (order by xid, id) as bytes,
      lead(id) over (order by xid, id) is not null or count(*) over () = ${READ_ROWS} as has_more
    from changed)
  select target, is_complete as "isComplete", sized.xid::text, sized.id::text, kind, ids,
    has_more as "hasMore"
  from pass left join sized on bytes - pg_column_size(ids) < ${READ_BYTES}
  order by sized.xid, sized.id`

function selectChanges(condition: string): string {
  return `(
    select xid, id, kind, ids from changes
    where ${condition} and (xid, id) > ($5::xid8, $6::bigint)
      and pg_visible_in_snapshot(xid, (select target from pass)::pg_snapshot)
    order by xid, id limit ${READ_ROWS})`
}

function groupByKind(rows: readonly ChangedRow[]): Map<Kind, number[]> {
  const ids = new Map<Kind, number[]>()
  for (const kind of KINDS) {
    const changed = new Set(rows.flatMap((row) => (row.kind === kind ? (row.ids ?? []) : [])))
    if (changed.size > 0) ids.set(kind, [...changed])
  }
  return ids
}

/** Deletes some of the changes that are older than an hour. Returns whether more may be left. */
async function pruneChanges(client: pg.ClientBase): Promise<boolean> {
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

/** Returns the parts of a position. At the start of a pass, there is no target yet. */
function parsePosition(position: Position) {
  const [since = '', target = null, xid = '0', id = '0'] = position.split(' ')
  return { since, target, xid, id }
}

function parseSnapshot(snapshot: string): { xmin: string; xmax: string; xip: string } {
  const [, xmin, xmax, xip = ''] = SNAPSHOT.exec(snapshot) ?? []
  if (!xmin || !xmax) throw new Error(`'${snapshot}' is not a snapshot of PostgreSQL`)
  return { xmin, xmax, xip }
}

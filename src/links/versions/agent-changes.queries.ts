import { sql } from 'kysely'
import { formatActor, isAgent } from '../../actor.ts'
import { unscoped } from '../../db/account-rows.ts'
import { idArray } from '../../db/arrays.ts'
import type { Tx } from '../../db/transaction.ts'
import { AppError } from '../../errors.ts'
import type { Scope } from '../../scope.ts'
import type { LinkAddress } from '../link.ts'
import type { Changes } from './snapshot.ts'
import { MAX_HISTORY_BYTES, MAX_VERSIONS } from './version.queries.ts'

/** A change that the caller has made and not undone. `version` is 0 for the creation of the link. */
export type AgentChangeRow = {
  linkId: number
  version: number
  at: Date
  alias: string
  /** The origin of the branded domain, or null. */
  origin: string | null
  title: string | null
  /** Null for a creation, and for a change that is larger than requested. */
  changes: Changes | null
}

type Selection = {
  /** Only later changes. All are from the last 24 hours. */
  since?: Date | undefined
  /** Only this change. */
  change?: { linkId: number; version: number } | undefined
  limit: number
  /** The maximum size of `changes` in bytes. */
  maxBytes: number
}

/** Returns changes of links by the caller, newest first. Omits those that have been undone. */
export async function listAgentChangeRows(
  scope: Scope,
  { since = new Date(0), change, limit, maxBytes }: Selection,
): Promise<AgentChangeRow[]> {
  const { accountId, actor } = scope
  const author = formatActor(actor)
  const start = sql`greatest(${since}::timestamptz, now() - interval '1 day')`
  const isChosen = change
    ? sql`made.link_id = ${change.linkId} and made.version = ${change.version}`
    : sql`true`
  const { rows } = await sql<AgentChangeRow>`
    select made.link_id as "linkId", made.version, made.at, links.alias, domains.origin,
      links.meta_title as title, made.changes
    from (
      select id as link_id, 0::bigint as version, created_at as at, null::jsonb as changes
      from links
      where created_by = ${author} and created_by like 'mcp:%' and account_id = ${accountId}
        and created_at > ${start} and kind = 'link'
      union all
      select link_id, id, changed_at, case when bytes <= ${maxBytes}::bigint then changes end
      from link_versions
      where changed_by = ${author} and changed_by like 'mcp:%' and account_id = ${accountId}
        and changed_at > ${start} and undoes is null
    ) made
    join links on links.id = made.link_id left join domains on domains.id = links.domain_id
    where ${isChosen} and not exists (
      select from link_versions undo where undo.link_id = made.link_id and undo.undoes = made.version)
    order by made.at desc, made.version desc, made.link_id desc limit ${limit}`.execute(
    unscoped(scope),
  )
  return rows
}

/**
 * Throws AppError `changed_too_often` if the changes of the last 24 hours take more than half of the history
 * of a link. The other half is for undoing them: otherwise, an agent could push the original values
 * out of the history by many changes.
 */
export async function requireUndoable(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const { rows } = await sql`
    select link_id from link_versions
    where link_id = any(${idArray(ids)}::bigint[]) and changed_at > now() - interval '1 day'
    group by link_id
    having count(*) > ${MAX_VERSIONS / 2} or sum(bytes) > ${MAX_HISTORY_BYTES / 2}
    limit 1`.execute(tx)
  if (rows.length > 0) throw new AppError('changed_too_often')
}

/**
 * Throws AppError `alias_taken` if an agent asks for the alias of a link in the trash that it has not
 * created itself. That link would lose its alias, which an undo could not bring back.
 */
export async function requireFreeForAgent(
  scope: Scope,
  { alias, domainId }: LinkAddress,
): Promise<void> {
  const { accountId, actor } = scope
  if (!isAgent(actor)) return
  const { rows } = await sql`
    select from links
    where alias = ${alias.normalize('NFC')} and domain_id is not distinct from ${domainId}
      and account_id = ${accountId} and kind = 'deleted'
      and created_by is distinct from ${formatActor(actor)}`.execute(unscoped(scope))
  if (rows.length > 0) throw new AppError('alias_taken')
}

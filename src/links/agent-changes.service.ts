import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { Scope } from '../scope.ts'
import { shortUrlOf } from '../urls/short-url.ts'
import { deleteLinks, restoreLinks } from './trash.service.ts'
import { type AgentChangeRow, listAgentChangeRows } from './versions/agent-changes.queries.ts'
import type { Changes } from './versions/snapshot.ts'
import { CREATION, undoVersion } from './versions/version.service.ts'

/** A change of a link by an agent, which the agent can undo for 24 hours. */
export type AgentChange = {
  /** The link and the version, such as `42.7`. The version of a creation is 0. */
  id: string
  linkId: number
  at: Date
  shortUrl: string
  title: string | null
  /** Undefined for a creation, and for a change with long values. */
  changes: Changes | undefined
  isCreation: boolean
}

/** An undone change, or the reason why it is not undone. */
export type Undone = AgentChange & { error?: AppError }

/** The maximum number of changes that one call undoes. */
export const MAX_UNDONE = 100
/** Changes that cannot be undone are skipped, so more are read than are undone. */
const MAX_READ = 500
/** Longer values are not listed. */
const MAX_LISTED_BYTES = 16_384

/** Returns the caller's changes of the last 24 hours, newest first, without those it has undone. */
export async function listAgentChanges(
  scope: Scope<Context>,
  { since, limit }: { since?: Date | undefined; limit: number },
): Promise<AgentChange[]> {
  const selection = { since, limit, maxBytes: MAX_LISTED_BYTES }
  const rows = await listAgentChangeRows(scope, selection)
  return rows.map((row) => toChange(scope, row))
}

/**
 * Undoes one change of the caller: fields get their former values, a created link moves to the
 * trash, and a deleted one comes back.
 *
 * @throws AppError `not_found` if the caller made no such change in the last 24 hours, or has undone it;
 * `link_changed` if a field has changed since; errors of `updateLink` and `restoreLinks`
 */
export async function undoAgentChange(scope: Scope<Context>, id: string): Promise<AgentChange> {
  const [linkId = 0, version = 0] = id.split('.').map(Number)
  const change = { linkId, version }
  const selection = { change, limit: 1, maxBytes: Number.MAX_SAFE_INTEGER }
  const [row] = await listAgentChangeRows(scope, selection)
  if (!row) throw new AppError('not_found')
  await undo(scope, row)
  return toChange(scope, row)
}

/**
 * Undoes the caller's changes since a time, newest first, at most `MAX_UNDONE`. Returns one result
 * for each, and whether there are more. A change that cannot be undone keeps older ones of the same
 * link.
 */
export async function undoAgentChangesSince(
  scope: Scope<Context>,
  since: Date,
): Promise<{ results: Undone[]; hasMore: boolean }> {
  const changes = await listAgentChanges(scope, { since, limit: MAX_READ })
  const results: Undone[] = []
  const failed = new Set<number>()
  let undone = 0
  for (const change of changes) {
    if (undone === MAX_UNDONE) return { results, hasMore: true }
    if (failed.has(change.linkId)) continue
    try {
      await undoAgentChange(scope, change.id)
      results.push(change)
      undone += 1
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      failed.add(change.linkId)
      results.push({ ...change, error })
    }
  }
  return { results, hasMore: changes.length === MAX_READ }
}

async function undo(
  scope: Scope<Context>,
  { linkId, version, changes }: AgentChangeRow,
): Promise<void> {
  if (version === CREATION || changes?.deleted?.after === false) {
    const { count } = await deleteLinks(scope, [linkId], version)
    if (count === 0) throw new AppError('not_found')
  } else if (changes?.deleted) {
    const restored = await restoreLinks(scope, [linkId], version)
    if (restored.length === 0) throw new AppError('link_changed')
  } else await undoVersion(scope, linkId, version, changes ?? {})
}

function toChange({ config }: Scope<Context>, row: AgentChangeRow): AgentChange {
  const { linkId, version, at, title, origin, alias } = row
  return {
    id: `${linkId}.${version}`,
    linkId,
    at,
    shortUrl: shortUrlOf(origin ?? config.baseUrl, alias),
    title,
    changes: row.changes ?? undefined,
    isCreation: version === CREATION,
  }
}

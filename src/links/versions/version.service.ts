import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { type Actor, formatActor, parseActor, type Surface } from '../../actor.ts'
import type { Context } from '../../context.ts'
import { unscoped } from '../../db/account-rows.ts'
import type { Page, PageQuery } from '../../db/pagination.ts'
import type { Db } from '../../db/pool.ts'
import { SNAPSHOT, transact } from '../../db/transaction.ts'
import { AppError } from '../../errors.ts'
import { createBoundKeyError } from '../../identity/key-scope.ts'
import type { Scope } from '../../scope.ts'
import { FIELD_NAMES, FIELDS, type FieldName } from '../fields.ts'
import { getLink, updateLink } from '../link.service.ts'
import type { Link, LinkInput, LinkStatus } from '../link.ts'
import { readSnapshots } from './record-changes.ts'
import {
  type Changes,
  hidePassword,
  isInForce,
  NOT_RESTORED,
  type Snapshot,
  toCreationChanges,
  undoChange,
} from './snapshot.ts'
import {
  countVersions,
  findCreation,
  hasVersion,
  listVersionRows,
  MAX_VERSIONS,
  readChangesAfter,
} from './version.queries.ts'

const TABLES: Partial<Record<Surface, 'users' | 'api_keys' | 'imports'>> = {
  console: 'users',
  api: 'api_keys',
  'legacy-api': 'api_keys',
  'yourls-api': 'api_keys',
  mcp: 'api_keys',
  import: 'imports',
}

/** The column with the display name in each table. */
const NAMES = {
  users: sql<string>`email`,
  api_keys: sql<string>`coalesce(name, prefix)`,
  // Commands store the path of the file, which would reveal the server's folders to members.
  imports: sql<string>`regexp_replace(name, '^/.*/', '')`,
} as const

/** Days after which versions are deleted. */
const RETENTION_DAYS = 365
const RETENTION_MS = RETENTION_DAYS * 86_400_000

/** The id of a link's creation in its list of versions. */
export const CREATION = 0

export type Version = {
  /** `CREATION` for the first version. */
  id: number
  at: Date
  /** Undefined if the author is unknown. */
  actor: Actor | undefined
  /**
   * The name of the author: a user's email address, or the name of a key or import. Null if it has
   * been deleted.
   */
  name: string | null
  /** The version that this one restored. */
  restores: number | null
  /** When that version was created, or null if it has been deleted. */
  restoredAt: Date | null
  changes: Changes
}

/**
 * Returns the versions of a link, newest first. The last one is the creation. It is derived from
 * the later versions, and omitted if some of them may have been deleted.
 *
 * @throws AppError `not_found`
 */
export async function listVersions(
  scope: Scope<Context>,
  id: number,
  page: PageQuery,
): Promise<Page<Version>> {
  return transact(
    scope,
    async (tx) => {
      const creation = await findCreation(tx, id)
      if (!creation) throw new AppError('not_found')
      const stored = await countVersions(unscoped(tx), id)
      const isKnown = isCreationKnown(scope, creation.createdAt, stored)
      const total = stored.count + (isKnown ? 1 : 0)
      const rows = await listVersionRows(unscoped(tx), id, page)
      const isLast = page.offset + page.limit >= total && page.offset < total
      const { createdAt, createdBy } = creation
      if (isKnown && isLast) {
        const current = await readCurrentSnapshot(unscoped(tx), id)
        const original = await readValuesAtVersion(unscoped(tx), id, CREATION, current)
        const changes = toCreationChanges({ ...current, ...original })
        const first = { id: CREATION, changedAt: createdAt, changedBy: createdBy }
        rows.push({ ...first, restores: null, restoredAt: null, changes })
      }
      const versions = rows.map(({ changedAt, changedBy, restoredAt, ...row }) => ({
        ...row,
        at: changedAt,
        actor: changedBy === null ? undefined : parseActor(changedBy),
        restoredAt: row.restores === CREATION ? createdAt : restoredAt,
      }))
      const names = await readActorNames(
        unscoped(tx),
        versions.flatMap(({ actor }) => actor ?? []),
      )
      const getName = (actor?: Actor) => (actor && names.get(formatActor(actor))) ?? null
      return { entries: versions.map((each) => ({ ...each, name: getName(each.actor) })), total }
    },
    SNAPSHOT,
  )
}

/**
 * Returns the values that restoring a version would change.
 *
 * @throws AppError `not_found`
 */
export async function previewRestore(
  scope: Scope<Context>,
  id: number,
  version: number,
): Promise<Changes> {
  const creation = await findCreation(scope, id)
  const exists =
    creation &&
    (version === CREATION
      ? isCreationKnown(scope, creation.createdAt, await countVersions(unscoped(scope), id))
      : await hasVersion(unscoped(scope), id, version))
  if (!exists) throw new AppError('not_found')
  const current = await readCurrentSnapshot(unscoped(scope), id)
  const oldValues = Object.entries(await readValuesAtVersion(unscoped(scope), id, version, current))
  return Object.fromEntries(
    oldValues
      .filter(
        ([name, value]) => !NOT_RESTORED.has(name) && !isDeepStrictEqual(value, current[name]),
      )
      .map(([name, value]) => [name, { before: current[name], after: value }]),
  )
}

/**
 * Restores the values of a link from a version, except for the fields in `NOT_RESTORED`. This
 * creates a new version, and the values are validated like any other change.
 *
 * @throws AppError `not_found`, `invalid_input` naming the field, `alias_taken`, `link_blocked`, and
 * `key_bound` if the caller's key is bound to a domain on which the link was not
 */
export async function restoreVersion(
  scope: Scope<Context>,
  id: number,
  version: number,
): Promise<Link> {
  if (scope.domain) await getLink(scope, id)
  const changes = await previewRestore(scope, id, version)
  if (scope.domain && changes.domain) {
    throw createBoundKeyError(scope.domain, 'rejections.key_bound_moves')
  }
  const { status, ...values } = Object.fromEntries(
    Object.entries(changes).map(([name, { after }]) => [name, after]),
  )
  const { url } = await readCurrentSnapshot(unscoped(scope), id)
  const restored = { version, status: status as LinkStatus | undefined }
  return updateLink(scope, id, toInput({ url, ...values }), restored)
}

/**
 * Takes back the changes of one version, and leaves all later ones. This creates a new version.
 *
 * @throws AppError like `restoreVersion`, and `link_changed` if one of its fields has changed since
 */
export async function undoVersion(
  scope: Scope<Context>,
  id: number,
  version: number,
  changes: Changes,
): Promise<Link> {
  const current = await readCurrentSnapshot(unscoped(scope), id)
  const before = Object.entries(changes)
    .filter(([name]) => !NOT_RESTORED.has(name))
    .map(([name, change]) => {
      if (!isInForce(current[name], change)) throw new AppError('link_changed')
      return [name, undoChange(current[name], change)]
    })
  const { status, ...values } = Object.fromEntries(before)
  const input = toInput({ url: current.url, ...values })
  return updateLink(scope, id, input, { undoes: version, status })
}

/** Converts values by API name to the input of services. */
function toInput({ custom, domain, pixels, tags, ...values }: Record<string, unknown>): LinkInput {
  const fields = FIELD_NAMES.map((name) => [name, toInputValue(name, values[FIELDS[name].api])])
  return { ...Object.fromEntries(fields), alias: custom, domain, pixels, tags } as LinkInput
}

/** Converts times to dates, because a text with a time in the past would be rejected. */
function toInputValue(name: FieldName, value: unknown): unknown {
  return FIELDS[name].kind === 'moment' && typeof value === 'string' ? new Date(value) : value
}

/** Returns the fields that changed after a version, with their values in that version. */
async function readValuesAtVersion(
  db: Db,
  id: number,
  version: number,
  current: Snapshot,
): Promise<Record<string, unknown>> {
  const values = new Map<string, unknown>()
  for (const changes of await readChangesAfter(db, id, version)) {
    for (const [name, change] of Object.entries(changes)) {
      const value = values.has(name) ? values.get(name) : current[name]
      values.set(name, undoChange(value, change))
    }
  }
  return Object.fromEntries(values)
}

async function readCurrentSnapshot(db: Db, id: number): Promise<Snapshot> {
  return hidePassword((await readSnapshots(db, [id])).get(id) ?? {})
}

function isCreationKnown(
  { clock }: Context,
  createdAt: Date,
  { count, isTruncated }: { count: number; isTruncated: boolean },
): boolean {
  const age = clock().getTime() - createdAt.getTime()
  return !isTruncated && count < MAX_VERSIONS && age < RETENTION_MS
}

/**
 * Returns the names of users, keys and imports, by the stored form of the actor (`formatActor`).
 * Deleted ones have no entry.
 */
async function readActorNames(
  db: Db,
  actors: readonly Actor[],
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  for (const table of Object.keys(NAMES) as (keyof typeof NAMES)[]) {
    const tableActors = actors.filter(({ surface, id }) => id !== null && TABLES[surface] === table)
    if (tableActors.length === 0) continue
    const ids = [...new Set(tableActors.map(({ id }) => id))]
    const rows = await db
      .selectFrom<'users' | 'api_keys' | 'imports'>(table)
      .select(['id', NAMES[table].as('name')])
      .where('id', '=', sql<number>`any(${ids}::bigint[])`)
      .execute()
    const byId = new Map(rows.map(({ id, name }) => [id, name]))
    for (const actor of tableActors) {
      const name = byId.get(actor.id ?? 0)
      if (name !== undefined) names.set(formatActor(actor), name)
    }
  }
  return names
}

import { isDeepStrictEqual } from 'node:util'
import type { Selectable } from 'kysely'
import type { Links } from '../../db/tables.generated.ts'
import type { FieldColumns } from '../field.ts'
import { FIELD_NAMES, FIELDS } from '../fields.ts'

/** The state of a link at some point in time, by API field name. */
export type Snapshot = Readonly<Record<string, unknown>>

/**
 * The values of a field before and after a change. If `at` is set, these are only the entries of a
 * long list that changed, and `at` is the number of entries before them.
 */
export type Change = { before: unknown; after: unknown; at?: number }
export type Changes = Readonly<Record<string, Change>>

export type SnapshotRow = FieldColumns &
  Pick<Selectable<Links>, 'alias' | 'status' | 'blocked_at' | 'archived_at' | 'kind'> & {
    host: string | null
    pixels: readonly number[]
  }

/** The value shown for a password, which is never part of a version. */
const PASSWORD_SET = 'set'
const CHANGED = 'changed'
const PASSWORD = FIELDS.password.api

/**
 * Fields that are not restored: passwords are not stored, only admins block links, and the archive
 * and the trash have separate actions.
 */
export const NOT_RESTORED: ReadonlySet<string> = new Set([
  PASSWORD,
  'blocked',
  'archived',
  'deleted',
])

/** The fields that have columns. All other fields are views of these. */
const VERSIONED_FIELDS = FIELD_NAMES.filter((name) => Object.keys(FIELDS[name].columns).length > 0)

/**
 * Returns a link's state by API field name (`custom` is the alias). Also includes `status`
 * (`blocked` if an admin disabled the link), `archived`, and `deleted` for a link in the trash.
 */
export function toSnapshot(row: SnapshotRow, tags: readonly string[] = []): Snapshot {
  const fields = VERSIONED_FIELDS.map((name) => [FIELDS[name].api, storedValue(name, row)])
  return {
    ...Object.fromEntries(fields),
    custom: row.alias,
    domain: row.host,
    status: row.status,
    blocked: row.blocked_at !== null,
    archived: row.archived_at !== null,
    deleted: row.kind === 'deleted',
    pixels: row.pixels,
    tags,
  }
}

function storedValue(name: (typeof VERSIONED_FIELDS)[number], row: SnapshotRow): unknown {
  if (name === 'password') return row.password_hash
  const value = FIELDS[name].readStored(row)
  return value instanceof Date ? value.toISOString() : value
}

/** The lists of which versions contain only the changed entries, if they are long. */
const TRIMMED_LISTS: ReadonlySet<string> = new Set([FIELDS.rules.api, FIELDS.parameters.api])
/** The length of both values as JSON from which a list is trimmed. */
const TRIM_FROM_LENGTH = 4096

/** Returns the fields that differ between two snapshots, without the values of passwords. */
export function compareSnapshots(before: Snapshot, after: Snapshot): Changes {
  const changes: Record<string, Change> = {}
  // The trash stores a link's tags in another place, which does not count as a change.
  if (before.deleted !== undefined && before.deleted !== after.deleted) {
    return { deleted: { before: before.deleted, after: after.deleted } }
  }
  for (const [name, value] of Object.entries(after)) {
    if (isDeepStrictEqual(before[name], value)) continue
    const change = { before: before[name] ?? null, after: value }
    changes[name] = name === PASSWORD ? hideSecrets(change) : trimList(name, change)
  }
  return changes
}

function trimList(name: string, change: Change): Change {
  const { before, after } = change
  if (!TRIMMED_LISTS.has(name) || !Array.isArray(before) || !Array.isArray(after)) return change
  if (JSON.stringify(change).length < TRIM_FROM_LENGTH) return change
  const shorter = Math.min(before.length, after.length)
  let at = 0
  while (at < shorter && isDeepStrictEqual(before[at], after[at])) at += 1
  let tail = 0
  while (tail < shorter - at && isDeepStrictEqual(before.at(-1 - tail), after.at(-1 - tail))) {
    tail += 1
  }
  const trim = (list: unknown[]) => list.slice(at, list.length - tail)
  return { before: trim(before), after: trim(after), at }
}

/** Returns the value of a field before a change, given its value after the change. */
export function undoChange(value: unknown, { before, after, at }: Change): unknown {
  if (at === undefined || !Array.isArray(value)) return before
  const list: unknown[] = [...value]
  list.splice(at, (after as unknown[]).length, ...(before as unknown[]))
  return list
}

/** Returns whether the value of a field is still that after a change. */
export function isInForce(value: unknown, { after, at }: Change): boolean {
  if (at === undefined || !Array.isArray(value)) return isDeepStrictEqual(value, after)
  return isDeepStrictEqual(value.slice(at, at + (after as unknown[]).length), after)
}

function hideSecrets({ before, after }: Change): Change {
  if (before === null) return { before, after: PASSWORD_SET }
  return { before: PASSWORD_SET, after: after === null ? null : CHANGED }
}

/** Returns the creation of a link as changes: all initial values, without empty fields. */
export function toCreationChanges(snapshot: Snapshot): Changes {
  const filled = Object.entries(snapshot).filter(([, value]) => !isEmpty(value))
  return Object.fromEntries(filled.map(([name, after]) => [name, { before: null, after }]))
}

/** Returns the snapshot without secrets, as stored in versions. */
export function hidePassword(snapshot: Snapshot): Snapshot {
  return { ...snapshot, [PASSWORD]: snapshot[PASSWORD] === null ? null : PASSWORD_SET }
}

function isEmpty(value: unknown): boolean {
  return value === null || value === false || (Array.isArray(value) && value.length === 0)
}

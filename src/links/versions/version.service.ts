import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../context.ts'
import type { Page, PageQuery } from '../../db/pagination.ts'
import type { Db } from '../../db/pool.ts'
import { inTransaction, SNAPSHOT } from '../../db/transaction.ts'
import { AppError } from '../../errors.ts'
import { FIELD_NAMES, FIELDS, type FieldName } from '../fields.ts'
import { updateLink } from '../link.service.ts'
import type { Link, LinkStatus } from '../link.ts'
import type { LinkInput } from '../link-input.ts'
import { type ActingContext, type Actor, formatActor, parseActor } from './actor.ts'
import { readActorNames } from './actor-name.queries.ts'
import { readSnapshots } from './snapshot.queries.ts'
import {
  type Changes,
  creationOf,
  NOT_RESTORED,
  type Snapshot,
  withoutPassword,
} from './snapshot.ts'
import {
  countVersions,
  findCreation,
  hasVersion,
  listVersionRows,
  MAX_VERSIONS,
  readValuesAt,
} from './version.queries.ts'

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
  /** The author's email address, key or import, or null if it has been deleted. */
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
  ctx: Context,
  db: Db,
  accountId: number,
  id: number,
  page: PageQuery,
): Promise<Page<Version>> {
  return inTransaction(
    db,
    async (tx) => {
      const creation = await findCreation(tx, accountId, id)
      if (!creation) throw new AppError('not_found')
      const changed = await countVersions(tx, id)
      const isKnown = isCreationKnown(ctx, creation.createdAt, changed)
      const total = changed + (isKnown ? 1 : 0)
      const rows = await listVersionRows(tx, id, page)
      const isLast = page.offset + page.limit >= total && page.offset < total
      const { createdAt, createdBy } = creation
      if (isKnown && isLast) {
        const changes = creationOf(await readVersion(tx, id, CREATION))
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
        tx,
        versions.flatMap(({ actor }) => actor ?? []),
      )
      const nameOf = (actor?: Actor) => (actor && names.get(formatActor(actor))) ?? null
      return { entries: versions.map((each) => ({ ...each, name: nameOf(each.actor) })), total }
    },
    SNAPSHOT,
  )
}

/**
 * Returns the values that restoring a version would change.
 *
 * @throws AppError `not_found`
 */
export async function readRestore(
  ctx: Context,
  db: Db,
  accountId: number,
  id: number,
  version: number,
): Promise<Changes> {
  const creation = await findCreation(db, accountId, id)
  const exists =
    creation &&
    (version === CREATION
      ? isCreationKnown(ctx, creation.createdAt, await countVersions(db, id))
      : await hasVersion(db, id, version))
  if (!exists) throw new AppError('not_found')
  const now = await readNow(db, id)
  const then = Object.entries(await readValuesAt(db, id, version))
  return Object.fromEntries(
    then
      .filter(([name, value]) => !NOT_RESTORED.has(name) && !isDeepStrictEqual(value, now[name]))
      .map(([name, value]) => [name, { before: now[name], after: value }]),
  )
}

/**
 * Restores the values of a link from a version, except the password. This creates a new version,
 * and the values are validated like any other change.
 *
 * @throws AppError `not_found`, `invalid_input` naming the field, `alias_taken`, `link_blocked`
 */
export async function restoreVersion(
  ctx: ActingContext,
  db: Db,
  accountId: number,
  id: number,
  version: number,
): Promise<Link> {
  const changes = await readRestore(ctx, db, accountId, id, version)
  const { status, ...values } = Object.fromEntries(
    Object.entries(changes).map(([name, { after }]) => [name, after]),
  )
  const { url } = await readNow(db, id)
  const restored = { version, status: status as LinkStatus | undefined }
  return updateLink(ctx, db, accountId, id, toInput({ url, ...values }), restored)
}

/** Converts values by API name to the input of services. */
function toInput({ custom, domain, pixels, tags, ...values }: Record<string, unknown>): LinkInput {
  const fields = FIELD_NAMES.map((name) => [name, inputValue(name, values[FIELDS[name].api])])
  return { ...Object.fromEntries(fields), alias: custom, domain, pixels, tags } as LinkInput
}

/** Converts times to dates, because a text with a time in the past would be rejected. */
function inputValue(name: FieldName, value: unknown): unknown {
  return FIELDS[name].kind === 'moment' && typeof value === 'string' ? new Date(value) : value
}

/** Returns the state of a link in a stored version. */
async function readVersion(db: Db, id: number, version: number): Promise<Snapshot> {
  return { ...(await readNow(db, id)), ...(await readValuesAt(db, id, version)) }
}

async function readNow(db: Db, id: number): Promise<Snapshot> {
  return withoutPassword((await readSnapshots(db, [id])).get(id) ?? {})
}

function isCreationKnown({ clock }: Context, createdAt: Date, changed: number): boolean {
  return changed < MAX_VERSIONS && clock().getTime() - createdAt.getTime() < RETENTION_MS
}

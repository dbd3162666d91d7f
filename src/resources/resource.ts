import { unscoped } from '../db/account-rows.ts'
import { notify } from '../db/notify.ts'
import {
  deleteOwned,
  findOwned,
  hasRow,
  insertOwned,
  listOwned,
  lockOwned,
  updateOwned,
} from '../db/owned.queries.ts'
import type { OwnedTable } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { type InTransaction, transact } from '../db/transaction.ts'
import { AppError, checkAll, checkAllAsync, type ErrorCode } from '../errors.ts'
import { checkDestination } from '../holds/hold.service.ts'
import type {
  Columns,
  Definition,
  Entry,
  Fields,
  Resource,
  ResourceScope,
  Values,
} from './definition.ts'

/** Adds its service to a definition. What differs in a resource replaces a method of the result. */
export function defineResource<const F extends Fields, const Listed extends keyof F & string>(
  definition: Definition<F, Listed>,
): Resource<F, Listed> {
  const { table, fields, listed, part, pages } = definition
  const { read = (values, current) => readFields(fields, merge(values, current)) } = definition

  return {
    ...definition,
    read,

    async list(scope, page) {
      const columns = ['id', ...listed, 'created_at'] as never[]
      const { entries, total } = await listOwned(scope, table, columns, page)
      return { entries: entries.map(toEntry<F>), total }
    },

    async get(scope, id) {
      return toEntry<F>(await findOwned(scope, table, id))
    },

    async create(scope, values) {
      const [columns] = await checkAllAsync(
        () => read(values),
        () => scope.storage.require(scope),
        (hasFailed) => checkStored(scope, values, hasFailed),
      )
      return toEntry<F>(await insertOwned(scope, table, toRow(columns)))
    },

    async update(scope, id, values) {
      return change(scope, id, async (tx) => {
        const current = toEntry<F>(await lockOwned(tx, table, id))
        const [, columns] = await checkAllAsync(
          () => tx.storage.require(tx),
          () => read(values, current),
          (hasFailed) => checkStored(tx, merge(values, current), hasFailed, current),
        )
        return toEntry<F>(await updateOwned(tx, table, id, toRow(columns)))
      })
    },

    async remove(scope, id) {
      await change(scope, id, async (tx) => toEntry<F>(await deleteOwned(tx, table, id)))
    },
  }

  /** Changes a resource in a transaction, and the cached links that have it in every process. */
  async function change<Result>(
    scope: ResourceScope,
    id: number,
    work: (tx: InTransaction<ResourceScope>) => Promise<Result>,
  ): Promise<Result> {
    const result = await transact(scope, async (tx) => {
      const changed = await work(tx)
      if (part) await notify(unscoped(tx), [{ kind: part, id }])
      return changed
    })
    if (part) scope.visitLinks.invalidatePart({ kind: part, id })
    return result
  }

  /** Checks values against the database: destinations, and what may be taken if another check has failed. */
  async function checkStored(
    scope: ResourceScope,
    values: Values<F>,
    hasFailed: boolean,
    current?: Entry<F>,
  ): Promise<void> {
    const checks = Object.entries(fields).map(([name, field]) => async () => {
      const [code] = Object.entries(pages.codes ?? {}).find((each) => each[1] === name) ?? []
      const mustBeFree = hasFailed && code !== undefined
      if (!field.isDestination && !mustBeFree) return
      const value = field.read(values[name] ?? null, name)
      if (typeof value !== 'string') return
      const stored: unknown = current?.[name]
      const storedUrls = typeof stored === 'string' ? [stored] : []
      if (field.isDestination) await checkDestination(scope, name, new URL(value), storedUrls)
      if (mustBeFree && value !== stored)
        await requireFree(unscoped(scope), table, name, value, code)
    })
    await checkAllAsync(...checks)
  }
}

/** Validates each field by itself. @throws AppError `invalid_input` naming the field */
export function readFields<F extends Fields>(fields: F, values: Values<F>): Columns<F> {
  const columns = checkAll(
    ...Object.entries(fields).map(
      ([name, field]) =>
        () =>
          [name, field.read(values[name] ?? null, name)] as const,
    ),
  )
  return Object.fromEntries(columns) as Columns<F>
}

/** @throws AppError with `code` if a resource of any account has this value */
export async function requireFree(
  db: Db,
  table: OwnedTable,
  column: string,
  value: string,
  code: string,
): Promise<void> {
  if (await hasRow(db, table, column, value)) throw new AppError(code as ErrorCode)
}

/** Returns the values that are set, and the current ones of the other fields. */
export function merge<F extends Fields>(values: Values<F>, current?: Values<F>): Values<F> {
  const set = Object.entries(values).filter(([, value]) => value !== undefined)
  return { ...current, ...(Object.fromEntries(set) as Values<F>) }
}

/** @throws AppError `not_found` without a row */
function toEntry<F extends Fields>(row: object | undefined): Entry<F> {
  if (!row) throw new AppError('not_found')
  const { created_at: createdAt, account_id: _, ...columns } = row as Record<string, unknown>
  return { ...columns, createdAt } as Entry<F>
}

/** Lists are stored as JSON. */
function toRow(columns: object): Record<string, unknown> {
  const row = Object.entries(columns).map(([name, value]) => [
    name,
    Array.isArray(value) ? JSON.stringify(value) : value,
  ])
  return Object.fromEntries(row)
}

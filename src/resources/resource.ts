import { unscoped } from '../db/account-rows.ts'
import { notify } from '../db/notify.ts'
import {
  deleteOwned,
  findOwned,
  insertOwned,
  listOwned,
  lockOwned,
  updateOwned,
} from '../db/owned.queries.ts'
import { type InTransaction, transact } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
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
  const { table, fields, listed, part } = definition
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
      const columns = read(values)
      await scope.storage.require(scope)
      await checkDestinations(scope, columns)
      return toEntry<F>(await insertOwned(scope, table, toRow(columns)))
    },

    async update(scope, id, values) {
      return change(scope, id, async (tx) => {
        const current = toEntry<F>(await lockOwned(tx, table, id))
        await tx.storage.require(tx)
        const columns = read(values, current)
        await checkDestinations(tx, columns, current)
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

  async function checkDestinations(
    scope: ResourceScope,
    columns: Columns<F>,
    current?: Columns<F>,
  ): Promise<void> {
    for (const [name, { isDestination }] of Object.entries(fields)) {
      const url: unknown = columns[name]
      if (!isDestination || typeof url !== 'string') continue
      const stored: unknown = current?.[name]
      await checkDestination(scope, name, new URL(url), typeof stored === 'string' ? [stored] : [])
    }
  }
}

/** Validates each field by itself. @throws AppError `invalid_input` naming the field */
export function readFields<F extends Fields>(fields: F, values: Values<F>): Columns<F> {
  const columns = Object.entries(fields).map(([name, field]) => [
    name,
    field.read(values[name] ?? null, name),
  ])
  return Object.fromEntries(columns)
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

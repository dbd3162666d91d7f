import type { TProperties } from '@sinclair/typebox'
import type { Context } from '../context.ts'
import type { AccountScope } from '../db/account-rows.ts'
import type { SharedResource } from '../db/notify.ts'
import type { OwnedTable, Page, PageQuery } from '../db/pagination.ts'
import type { ErrorCode } from '../errors.ts'
import type { Field } from './field.ts'

/** A scope with the services of this process. */
export type ResourceScope = Context & AccountScope

export type Fields = Readonly<Record<string, Field<unknown, unknown>>>

/** Values as clients send them. Undefined is the same as null, or unchanged in an update. */
export type Values<F extends Fields> = {
  [Name in keyof F]?: Parameters<F[Name]['read']>[0] | undefined
}

/** The values of a resource, such as `ValuesOf<typeof pixels>`. */
export type ValuesOf<R extends { fields: Fields }> = Values<R['fields']>

/** A resource as it is stored, such as `EntryOf<typeof pixels>`. */
export type EntryOf<R extends { fields: Fields }> = Entry<R['fields']>

/** Valid values, as they are stored. */
export type Columns<F extends Fields> = { [Name in keyof F]: ReturnType<F[Name]['read']> }

/** A stored resource. Lists have only the fields that are `listed`. */
export type Entry<F extends Fields, Listed extends keyof F = keyof F> = {
  id: number
  createdAt: Date
} & Pick<Columns<F>, Listed>

/** What a resource is, from which its service, its API and its pages derive. */
export type Definition<F extends Fields, Listed extends keyof F> = {
  table: OwnedTable
  fields: F
  listed: readonly Listed[]
  /** Set if links can have it. Changes then apply to cached links. */
  part?: SharedResource['kind']
  /**
   * Validates values that depend on each other, of a new resource or of changes to a current one. By
   * default, each field is validated by itself.
   */
  read?(values: Values<F>, current?: Columns<F>): Columns<F>
  api: Api<F, Listed>
  pages: Pages<F, Listed>
}

/** A definition and its service. */
export type Resource<F extends Fields, Listed extends keyof F = keyof F> = Definition<F, Listed> & {
  /** @throws AppError `invalid_input` naming the field */
  read(values: Values<F>, current?: Columns<F>): Columns<F>
  list(scope: AccountScope, page: PageQuery): Promise<Page<Entry<F, Listed>>>
  /** @throws AppError `not_found` */
  get(scope: AccountScope, id: number): Promise<Entry<F>>
  /** @throws AppError `invalid_input` naming the field, `storage_full` */
  create(scope: ResourceScope, values: Values<F>): Promise<Entry<F>>
  /**
   * Changes the fields that are set in the values. Null clears a field.
   *
   * @throws AppError `not_found`, `invalid_input` naming the field, `storage_full`
   */
  update(scope: ResourceScope, id: number, values: Values<F>): Promise<Entry<F>>
  /** Deletes a resource, and removes it from links. @throws AppError `not_found` */
  remove(scope: ResourceScope, id: number): Promise<void>
}

/** A resource whose fields a surface does not know. */
export type AnyResource = Resource<Fields, string>

/**
 * How a request has a field. The value of one that is clearable can be null, which `""` means in an
 * update.
 */
export type Presence = 'required' | 'optional' | 'clearable'

type Body<F extends Fields> = {
  /** By default, those that are optional are clearable, and an update needs none. */
  fields?: { [Name in keyof F]?: Presence }
  example: object
  description?: string
  /** Whether `""` is ignored in an update too, because no field can be cleared. */
  ignoresEmpty?: true
}

/** The operations of the JSON API. Replies have fields, `id`, `date` and what `present` adds. */
type Api<F extends Fields, Listed extends keyof F> = {
  /** The paths of the list and, before its id, of one resource. */
  listPath: string
  path: string
  /** The property of the list's reply that has the entries. */
  collection: string
  tag: string
  noun: string
  summaries: { list: string; get?: string; create: string; update: string; remove: string }
  create: Body<F>
  update: Body<F>
  /** The properties of an entry in the list. */
  entry: readonly string[]
  /** The properties of a reply to `get`. Without them, there is no such operation. */
  details?: readonly string[]
  /** The properties of the replies to `create` and `update`: by default `id` and `message`. */
  created?: readonly string[]
  updated?: readonly string[]
  /** Properties that are not fields, or have other schemas, and their values. */
  properties?: TProperties
  present?(
    entry: Entry<F, Listed>,
    context: { baseUrl: string; username: string },
  ): Record<string, unknown>
}

/** The list and the form in the console. */
type Pages<F extends Fields, Listed extends keyof F> = {
  section: `/console/${string}`
  /** The icon in the navigation, if that has no place of its own for the resource. */
  icon?: string
  /** The texts of the list, its form and the deletion. */
  words: () => { many: string; new: string; none: string; about: string; deletion: string }
  /** The field that names a resource. */
  title: Listed & string
  /** The columns of the list after it. */
  columns: readonly ((Listed & string) | 'createdAt')[]
  /** The fields of errors that name none. */
  codes?: Partial<Record<ErrorCode, keyof F & string>>
}

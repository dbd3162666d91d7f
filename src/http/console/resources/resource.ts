import type { FieldNames } from '../../../errors.ts'
import type { Preview } from '../preview.ts'
import type { FormField } from './form-field.ts'
import type { Cell } from './list-view.ts'
import type { RowList } from './rows.ts'
import type { Words } from './words.ts'

/** The texts of a form by the names of its fields. */
export type Values = Readonly<Record<string, string>>
/** The lists of a form by the names of its fields. */
export type Rows = Readonly<Record<string, RowList>>
type Query = { limit: number; offset: number }

/** A kind of resource that an account owns: how the console shows it and what services change it. */
export type Resource<Entry extends { id: number }> = {
  words: Words
  /** The headings of what `cellsOf` gives. */
  columns: readonly string[]
  nameOf: (entry: Entry) => string
  cellsOf: (entry: Entry, zone: string) => readonly Cell[]
  /** The fields of its form, for a new resource and for one that there is already. */
  fields: { make: readonly FormField[]; change: readonly FormField[] }
  /** What stands in the form for a new one. */
  initial?: Values
  valuesOf: (entry: Entry) => Values
  /** The lists of the form, for a resource that has any. */
  rowsOf?: (entry: Entry) => Rows
  /** The names that the form has for the fields of the domain, where these differ. */
  fieldNames?: FieldNames
  /** The page that visitors get for what stands in the form, and what is to be known of it. */
  preview?: {
    note: string
    /** @throws AppError `invalid_input` */
    read: (values: Values, rows: Rows) => Preview
  }
  /** Whether a further page at `/{id}` shows more of it. */
  opens?: boolean
  list: (accountId: number, page: Query) => Promise<{ entries: Entry[]; total: number }>
  /** @throws AppError `not_found` */
  get: (accountId: number, id: number) => Promise<Entry>
  add: (accountId: number, values: Values, rows: Rows) => Promise<{ id: number }>
  update: (accountId: number, id: number, values: Values, rows: Rows) => Promise<unknown>
  remove: (accountId: number, id: number) => Promise<unknown>
}

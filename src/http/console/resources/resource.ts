import type { FieldNames } from '../../../errors.ts'
import type { Preview } from '../shell/send-preview.ts'
import type { FormField } from './form-field.ts'
import type { Cell } from './list-view.ts'
import type { RowList } from './rows.ts'
import type { Words } from './words.ts'

/** Form values by field name. */
export type Values = Readonly<Record<string, string>>
/** Form lists by field name. */
export type Rows = Readonly<Record<string, RowList>>
/** Uploads by field name: an image, null to remove it, or undefined to keep it. */
export type Files = Readonly<Record<string, Buffer | null | undefined>>
/** A submitted form. */
export type Typed = { values: Values; rows: Rows; files: Files }
type Query = { limit: number; offset: number }

/** A kind of resource that an account owns: its presentation in the console and its services. */
export type Resource<Entry extends { id: number }> = {
  words: Words
  /** The headings of the cells from `cellsOf`. */
  columns: readonly string[]
  nameOf: (entry: Entry) => string
  cellsOf: (entry: Entry, zone: string) => readonly Cell[]
  /** The form fields for creating and for editing. */
  fields: { make: readonly FormField[]; change: readonly FormField[] }
  /** The initial values of a new resource. */
  initial?: Values
  valuesOf: (entry: Entry) => Values
  /** The lists of the form. */
  rowsOf?: (entry: Entry) => Rows
  /** A remark about a row of a list of the form, such as the clicks of a button. */
  noteOf?: (entry: Entry, row: readonly string[]) => string | undefined
  /** Form names of internal fields, if different. */
  fieldNames?: FieldNames
  /** The preview of the form as visitors see it, and a note about it. */
  preview?: {
    note: string
    /** @throws AppError `invalid_input` */
    read: (input: Typed, stored: { accountId: number; entry?: Entry }) => Preview | Promise<Preview>
  }
  /** Additional styles and scripts of the list. */
  listFiles?: readonly string[]
  /** Whether `/{id}` is a page with details. */
  hasDetailsPage?: boolean
  list: (accountId: number, page: Query) => Promise<{ entries: Entry[]; total: number }>
  /** @throws AppError `not_found` */
  get: (accountId: number, id: number) => Promise<Entry>
  add: (accountId: number, values: Values, rows: Rows, files: Files) => Promise<{ id: number }>
  update: (
    accountId: number,
    id: number,
    values: Values,
    rows: Rows,
    files: Files,
  ) => Promise<unknown>
  remove: (accountId: number, id: number) => Promise<unknown>
}

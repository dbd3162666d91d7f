import type { FieldNames } from '../../../errors.ts'
import type { Preview } from '../kit/preview.ts'
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
/** The values of a resource's form: initial, stored or submitted. */
export type FormInput = { values: Values; rows: Rows; files: Files }
type Query = { limit: number; offset: number }

/** A kind of resource that an account owns: its presentation in the console and its services. */
export type Resource<Entry extends { id: number }> = {
  words: Words
  /** The headings of the cells from `cellsOf`. */
  columns: readonly string[]
  nameOf: (entry: Entry) => string
  /** Returns the cells of a row in the list, with times in the user's time zone. */
  cellsOf: (entry: Entry, timeZone: string) => readonly Cell[]
  /** The fields of the forms for creating and for editing. */
  fields: { create: readonly FormField[]; edit: readonly FormField[] }
  /** The initial values of the form for creating. */
  initial?: Values
  /** Returns the stored values of the form's single fields. */
  valuesOf: (entry: Entry) => Values
  /** Returns the stored lists of the form, for forms with lists. */
  rowsOf?: (entry: Entry) => Rows
  /** Returns a note about a row of a list in the form, such as the clicks of a link. */
  noteOf?: (entry: Entry, row: readonly string[]) => string | undefined
  /** Names of form fields by the field that an error names, where these differ. */
  fieldNames?: FieldNames
  /** The preview of what visitors see. */
  preview?: {
    /** A sentence about the preview. */
    note: string
    /**
     * Renders form values. `stored` names the account, and the resource if it is being edited.
     *
     * @throws AppError `invalid_input`
     */
    read: (
      input: FormInput,
      stored: { accountId: number; entry?: Entry },
    ) => Preview | Promise<Preview>
  }
  /** Whether each resource has a page with details at `{section}/{id}`. */
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

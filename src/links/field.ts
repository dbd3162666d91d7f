import type { TSchema } from '@sinclair/typebox'
import type { Selectable } from 'kysely'
import type { Links } from '../db/tables.generated.ts'
import type { LinkType } from './fields/link-type.ts'
import type { Rule } from './rules/rule.ts'

/** The columns that store the fields. */
export type FieldColumns = Omit<
  Selectable<Links>,
  | 'id'
  | 'account_id'
  | 'kind'
  | 'domain_id'
  | 'alias'
  | 'status'
  | 'created_at'
  | 'created_by'
  | 'used_up_at'
  | 'ends_at'
  | 'blocked_at'
  | 'block_reason'
  | 'archived_at'
  | 'search_text'
>

/**
 * The rules for validating the fields of a link. Creations, updates and imports each provide their
 * own.
 */
export type FieldRules = {
  /** The link's existing targeting rules. */
  current: readonly Rule[]
  /** The maximum number of targeting rules per request. */
  maxRules: number
  /** Parses a start time in the format of the source. Throws `invalid_input` naming the field. */
  readStart: (field: string, value: string) => Date
  /** Parses any other time in the format of the source. Throws `invalid_input` naming the field. */
  readMoment: (field: string, value: string) => Date
  /** Returns a destination in stored form. */
  checkUrl: (field: string, url: string) => string | Promise<string>
  /** Throws if the account does not have the splash page or overlay. */
  checkPage: (type: LinkType) => Promise<void> | void
  hashPassword: (password: string) => string | Promise<string>
}

/** A field's value in responses to `GET /api/url/:id`. */
export type Details<Stored> = {
  name: string
  /** Defaults to the schema of the field's kind. */
  schema?: TSchema
  /** Whether responses omit the property if `present` returns undefined. */
  optional?: boolean
  present?: (value: Stored) => unknown
}

/** A field's value in imports and exports. */
export type FileField<Stored> = {
  /** The name in JSONL. */
  name: string
  /** For lists: the properties of an entry, and whether they are required. */
  entry?: Readonly<Record<string, 'required' | 'optional'>>
  /**
   * CSV columns: the header in exports, if any, and the names accepted in imports, separated by
   * spaces. The names are lowercase, without punctuation, most likely first. `write` is needed if
   * the value differs from the one in JSONL.
   */
  csv?: { header?: string; names: string; write?: (columns: FieldColumns) => unknown }
  /** Converts the value from a file before it is validated. */
  accept?: (value: string) => unknown
  /** Returns the value to export, or null for none. Defaults to the stored value. */
  write?: (columns: FieldColumns) => Stored | string | null
}

/** A field's inputs in the console's link form. */
export type FormField = {
  /** The prefix of the inputs' names. */
  name: string
  input:
    | 'text'
    | 'url'
    | 'multiline'
    | 'number'
    | 'checkbox'
    | 'domainFlag'
    | 'moment'
    | 'rows'
    | 'rules'
    | 'choice'
  section: 'destination' | 'lifetime' | 'targeting' | 'parameters' | 'card' | 'appearance'
  /** For rows: the names of the two texts of an entry. */
  entry?: readonly [name: string, value: string]
}

export type Field<Value, Stored = Value> = {
  /** Determines how the value is represented in files and responses by default. */
  kind: 'text' | 'number' | 'flag' | 'moment' | 'list'
  /** The columns, with their values for a link without the field. */
  columns: Partial<FieldColumns>
  /** The name in the JSON API. */
  api: string
  /** The name in the legacy API, if the field exists there. */
  legacy?: string
  /** The schema of the value in requests of the JSON API. */
  schema: TSchema
  /**
   * Converts a value to columns. Null clears the field. `columns` are those of the fields before
   * it. Throws AppError `invalid_input` naming the field.
   */
  read(
    value: Value | null,
    rules: FieldRules,
    columns: Partial<FieldColumns>,
  ): Partial<FieldColumns> | Promise<Partial<FieldColumns>>
  /** Returns the field's value from the columns of a stored link. */
  readStored(columns: FieldColumns): Stored
  details?: Details<Stored>
  file?: FileField<Stored>
  form?: FormField
}

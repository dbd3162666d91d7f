import type { TSchema } from '@sinclair/typebox'
import type { Selectable } from 'kysely'
import type { LinkTable } from '../db/schema/links.ts'
import type { LinkType } from './link-type.ts'
import type { Rule } from './rules/rule.ts'

/** The columns that hold the fields. */
export type FieldColumns = Omit<
  Selectable<LinkTable>,
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
 * The data that validating fields requires besides their values. Creations, updates and imports
 * each provide it.
 */
export type FieldRules = {
  /** The link's existing rules. */
  current: readonly Rule[]
  /** The maximum number of rules per request. */
  maxRules: number
  /** Parse times in the format of the source. Throw `invalid_input` naming the field. */
  readStart: (field: string, value: string) => Date
  readMoment: (field: string, value: string) => Date
  /** Returns a destination in stored form. */
  checkUrl: (field: string, url: string) => string | Promise<string>
  /** Throws if the account has no such splash page or overlay. */
  checkPage: (type: LinkType) => Promise<void> | void
  hashPassword: (password: string) => string | Promise<string>
}

/** A field's value in replies to `GET /api/url/:id`. */
export type Details<Stored> = {
  name: string
  /** Default: the schema of the field's kind. */
  schema?: TSchema
  /** Omitted if `present` returns undefined. */
  optional?: boolean
  present?: (stored: Stored) => unknown
}

/** A field's value in imports and exports. */
export type FileField<Stored> = {
  /** The name in JSONL. */
  name: string
  /** For lists: the texts of an entry, and whether they are required. */
  entry?: Readonly<Record<string, 'required' | 'optional'>>
  /**
   * CSV columns: the header in exports, if any, and the names accepted in imports, most likely
   * first, in lowercase without spaces and punctuation. `write` is for a value that differs from
   * that in JSONL.
   */
  csv?: { header?: string; names: string; write?: (columns: FieldColumns) => unknown }
  /** Converts the value in a file before validation. */
  accept?: (value: string) => unknown
  /** Returns the exported value, by default the stored one, or null for none. */
  write?: (columns: FieldColumns) => Stored | string | null
}

/** A field's inputs in the console's link form. */
export type FormField = {
  /** The first part of the inputs' names. */
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
  /** For rows: the labels of an entry's two texts. */
  entry?: readonly [name: string, value: string]
}

export type Field<Value, Stored = Value> = {
  /** The default representation of the value in files and replies. */
  kind: 'text' | 'number' | 'flag' | 'moment' | 'list'
  /** The columns with their values for a link without the field. */
  columns: Partial<FieldColumns>
  /** The name in the JSON API. */
  api: string
  /** The name in the legacy API, if the field exists there. */
  legacy?: string
  /** The schema of the value in requests of the JSON API. */
  schema: TSchema
  /**
   * Converts a value to columns. Null clears it. `columns` are those of the preceding fields.
   * Throws AppError `invalid_input` naming the field.
   */
  read(
    value: Value | null,
    rules: FieldRules,
    columns: Partial<FieldColumns>,
  ): Partial<FieldColumns> | Promise<Partial<FieldColumns>>
  /** Returns a link's value. */
  stored(columns: FieldColumns): Stored
  details?: Details<Stored>
  file?: FileField<Stored>
  form?: FormField
}

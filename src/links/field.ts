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

/** What the fields need to know beside their values. Creations, updates, and imports each provide it. */
export type FieldRules = {
  /** The rules that the link has. */
  current: readonly Rule[]
  /** Rules that one request may give. */
  maxRules: number
  /** Read moments in a form that the source of the value writes. Throw `invalid_input` naming the field. */
  readStart: (field: string, value: string) => Date
  readMoment: (field: string, value: string) => Date
  /** Returns a destination in its stored form. */
  checkUrl: (field: string, url: string) => string | Promise<string>
  /** Throws if the account has no such splash page or overlay. */
  checkPage: (type: LinkType) => Promise<void> | void
  hashPassword: (password: string) => string | Promise<string>
}

/** A field's value in replies to `GET /api/url/:id`. */
export type Details<Stored> = {
  name: string
  /** By default that of the field's kind. */
  schema?: TSchema
  /** Absent where `present` returns undefined. */
  optional?: boolean
  present?: (stored: Stored) => unknown
}

/** A field's value in imports and exports. */
export type FileField<Stored> = {
  /** The name in JSONL. */
  name: string
  /** For lists: the texts of an entry, and whether an entry must have them. */
  entry?: Readonly<Record<string, 'required' | 'optional'>>
  /**
   * CSV columns: the one that exports write, if any, and the names that imports know, the likeliest first, in
   * lowercase without spaces and punctuation. `write` is for a value that differs from that of JSONL.
   */
  csv?: { header?: string; names: string; write?: (columns: FieldColumns) => unknown }
  /** Changes what a file says before it is checked. */
  accept?: (value: string) => unknown
  /** Returns what exports write, by default the stored value; null for nothing. */
  write?: (columns: FieldColumns) => Stored | string | null
}

/** A field's inputs in the console's form of a link. */
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
  /** For rows: the two texts of an entry. */
  entry?: readonly [name: string, value: string]
}

export type Field<Value, Stored = Value> = {
  /** Decides how files and replies hold the value, where nothing else says it. */
  kind: 'text' | 'number' | 'flag' | 'moment' | 'list'
  /** The columns with their values in a link without the field. */
  columns: Partial<FieldColumns>
  /** The name in the JSON API. */
  api: string
  /** The name in the legacy API, where it has the field. */
  legacy?: string
  /** The value in requests of the JSON API. */
  schema: TSchema
  /**
   * Reads a value into columns; null clears it. `columns` are those of the fields before it. Throws AppError
   * `invalid_input` naming the field.
   */
  read(
    value: Value | null,
    rules: FieldRules,
    columns: Partial<FieldColumns>,
  ): Partial<FieldColumns> | Promise<Partial<FieldColumns>>
  /** Returns the value that a link has. */
  stored(columns: FieldColumns): Stored
  details?: Details<Stored>
  file?: FileField<Stored>
  form?: FormField
}

import { isDeepStrictEqual } from 'node:util'
import type { Field, FieldColumns, FileField } from '../links/field.ts'
import { COLUMN_DEFAULTS, FIELD_NAMES, FIELDS, type FieldName } from '../links/fields.ts'

type NamedField = FileField<unknown> & {
  field: FieldName
  kind: Field<unknown>['kind']
  /**
   * Returns the value to export as JSON, or undefined if it equals the value of a link without the
   * field.
   */
  toJson: (columns: FieldColumns) => unknown
  toCell: (columns: FieldColumns) => unknown
}

/**
 * The fields that only decorate a link. A bad value costs the value, not the link. All others may
 * restrict it, so that a bad value costs the link.
 */
export const DECORATIONS: ReadonlySet<string> = new Set<FieldName>([
  'metaTitle',
  'metaDescription',
  'metaImage',
])

/** The fields of imports and exports. */
export const fileFields: readonly NamedField[] = FIELD_NAMES.flatMap((field) => {
  const { file, kind, readStored } = FIELDS[field]
  if (!file) return []
  const toJson = omitDefault(file.write ?? readStored)
  const toCell = file.csv?.write ? omitDefault(file.csv.write) : toJson
  return { ...file, field, kind, toJson, toCell } satisfies NamedField
})

function omitDefault(write: (columns: FieldColumns) => unknown) {
  const defaultValue = write(COLUMN_DEFAULTS)
  return (columns: FieldColumns) => {
    const value = write(columns)
    return value === null || isDeepStrictEqual(value, defaultValue) ? undefined : value
  }
}

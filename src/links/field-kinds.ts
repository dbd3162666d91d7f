import { Type } from '@sinclair/typebox'
import { invalid } from '../errors.ts'
import type { Field, FieldColumns, FieldRules } from './field.ts'
import { MAX_MOMENT_LENGTH, requireYear } from './rules/expiry.ts'
import { requireBoundedText } from './rules/lengths.ts'

/** Text that PostgreSQL can store: well-formed Unicode without NUL. */
export const createTextSchema = (maxLength: number, description?: string) =>
  Type.String({ maxLength, format: 'text', ...(description !== undefined && { description }) })
export const createUrlSchema = (description: string) =>
  Type.String({ maxLength: 32_768, minLength: 1, format: 'text', description })

type ColumnOf<Type> = {
  [Name in keyof FieldColumns]: Type extends FieldColumns[Name] ? Name : never
}[keyof FieldColumns]
/** The names and formats of a field in the APIs, files and forms. */
type Surfaces<Stored> = Pick<Field<unknown, Stored>, 'api' | 'details' | 'file' | 'form'>

/** Defines a text field stored in one column. `name` identifies it in errors. */
export function defineTextField<
  const Column extends ColumnOf<string | null>,
  S extends Surfaces<string | null>,
>(
  name: string,
  column: Column,
  { max, description, ...surfaces }: S & { max: number; description?: string },
) {
  return {
    ...(surfaces as unknown as S),
    kind: 'text',
    columns: toNullColumn(column),
    schema: createTextSchema(max, description),
    read: (value: string | null) => toColumn(column, value && requireBoundedText(name, value, max)),
    readStored: (columns: FieldColumns) => columns[column] as string | null,
  } satisfies Field<string, string | null>
}

/** Defines a boolean field stored in a column that is not null. */
export function defineFlagField<
  const Column extends ColumnOf<boolean>,
  S extends Surfaces<boolean>,
>(name: string, column: Column, { description, ...surfaces }: S & { description?: string }) {
  return {
    ...(surfaces as unknown as S),
    kind: 'flag',
    columns: { [column]: false } as Record<Column, false>,
    schema: Type.Boolean(description === undefined ? {} : { description }),
    read(value: boolean | null) {
      if (value !== null && typeof value !== 'boolean') throw invalid(name, 'true_or_false')
      return toColumn(column, value ?? false)
    },
    readStored: (columns: FieldColumns) => columns[column] as boolean,
  } satisfies Field<boolean>
}

/** Defines a boolean field that is null if the default of the link's domain applies. */
export function defineDomainFlagField<
  const Column extends ColumnOf<boolean | null>,
  S extends Surfaces<boolean | null>,
>(name: string, column: Column, { description, ...surfaces }: S & { description: string }) {
  return {
    ...(surfaces as unknown as S),
    kind: 'flag',
    columns: toNullColumn(column),
    schema: Type.Boolean({ description }),
    read(value: boolean | null) {
      if (value !== null && typeof value !== 'boolean') throw invalid(name, 'true_or_false')
      return toColumn(column, value)
    },
    readStored: (columns: FieldColumns) => columns[column] as boolean | null,
  } satisfies Field<boolean, boolean | null>
}

/** Defines a whole number stored in one column. */
export function defineNumberField<
  const Column extends ColumnOf<number | null>,
  S extends Surfaces<number | null>,
>(
  name: string,
  column: Column,
  { min, max, description, ...surfaces }: S & { min: number; max: number; description?: string },
) {
  return {
    ...(surfaces as unknown as S),
    kind: 'number',
    columns: toNullColumn(column),
    schema: Type.Integer({
      minimum: min,
      maximum: max,
      ...(description !== undefined && { description }),
    }),
    read(value: number | null) {
      if (value !== null && !(Number.isInteger(value) && value >= min && value <= max)) {
        throw invalid(name, 'whole_number_range', { min, max })
      }
      return toColumn(column, value)
    },
    readStored: (columns: FieldColumns) => columns[column] as number | null,
  } satisfies Field<number, number | null>
}

/** Defines a time stored in one column. A `Date` has already been parsed and is used as it is. */
export function defineMomentField<
  const Column extends ColumnOf<Date | null>,
  S extends Surfaces<Date | null>,
>(name: string, column: Column, { description, ...surfaces }: S & { description?: string }) {
  return {
    ...(surfaces as unknown as S),
    kind: 'moment',
    columns: toNullColumn(column),
    schema: createTextSchema(MAX_MOMENT_LENGTH, description),
    read: (value: string | Date | null, { readMoment }: FieldRules) =>
      toColumn(
        column,
        requireYear(name, typeof value === 'string' ? readMoment(name, value) : value),
      ),
    readStored: (columns: FieldColumns) => columns[column] as Date | null,
  } satisfies Field<string | Date, Date | null>
}

function toColumn<Column extends keyof FieldColumns>(column: Column, value: unknown) {
  return { [column]: value } as Partial<FieldColumns>
}

function toNullColumn<Column extends keyof FieldColumns>(column: Column) {
  return { [column]: null } as Record<Column, null>
}

import { Type } from '@sinclair/typebox'
import type { ParameterRow } from '../db/schema/links.ts'
import { invalid } from '../errors.ts'
import { textSchema } from './field-kinds.ts'
import {
  boundedText,
  MAX_PARAMETER_NAME,
  MAX_PARAMETER_VALUE,
  MAX_PARAMETERS,
} from './rules/lengths.ts'

export type Parameter = { name?: string | null | undefined; value?: string | null | undefined }

export const parameterSchema = Type.Object({
  name: Type.Optional(Type.Union([textSchema(MAX_PARAMETER_NAME), Type.Null()])),
  value: Type.Optional(Type.Union([textSchema(MAX_PARAMETER_VALUE), Type.Null()])),
})

/** Reads parameters into their stored form. Entries without a name are skipped. */
export function readParameters(parameters: readonly Parameter[]): ParameterRow[] {
  if (parameters.length > MAX_PARAMETERS) {
    throw invalid('parameters', `must have at most ${MAX_PARAMETERS} entries`)
  }
  const read = parameters.map(({ name, value }, index) => ({
    name: boundedText(`parameters[${index}].name`, name ?? '', MAX_PARAMETER_NAME),
    value: boundedText(`parameters[${index}].value`, value ?? '', MAX_PARAMETER_VALUE),
  }))
  return read.filter(({ name }) => name !== '')
}

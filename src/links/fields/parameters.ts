import { Type } from '@sinclair/typebox'
import type { StoredParameter } from '../../db/column-types.ts'
import { invalid } from '../../errors.ts'
import type { Field } from '../field.ts'
import { createTextSchema } from '../field-kinds.ts'
import {
  MAX_PARAMETER_NAME,
  MAX_PARAMETER_VALUE,
  MAX_PARAMETERS,
  requireBoundedText,
} from '../rules/lengths.ts'

type Parameter = { name?: string | null | undefined; value?: string | null | undefined }

const parameterSchema = Type.Object({
  name: Type.Optional(Type.Union([createTextSchema(MAX_PARAMETER_NAME), Type.Null()])),
  value: Type.Optional(Type.Union([createTextSchema(MAX_PARAMETER_VALUE), Type.Null()])),
})

/** The parameters that a link adds to its destination. */
export const parametersField = {
  kind: 'list',
  columns: { parameters: [] },
  api: 'parameters',
  schema: Type.Array(parameterSchema, {
    maxItems: MAX_PARAMETERS,
    description: 'Appended to the destination. Entries without a name are skipped.',
  }),
  read: (value) => ({ parameters: readParameters(value ?? []) }),
  readStored: ({ parameters }) => parameters,
  details: {
    name: 'parameters',
    schema: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
  },
  file: { name: 'parameters', entry: { name: 'required', value: 'optional' } },
  form: { name: 'parameter', input: 'rows', section: 'parameters', entry: ['name', 'value'] },
} satisfies Field<readonly Parameter[], readonly StoredParameter[]>

/** Converts parameters to their stored form. Skips entries without a name. */
function readParameters(parameters: readonly Parameter[]): StoredParameter[] {
  if (parameters.length > MAX_PARAMETERS) {
    throw invalid('parameters', 'at_most_entries', { max: MAX_PARAMETERS })
  }
  const read = parameters.map(({ name, value }, index) => ({
    name: requireBoundedText(`parameters[${index}].name`, name ?? '', MAX_PARAMETER_NAME),
    value: requireBoundedText(`parameters[${index}].value`, value ?? '', MAX_PARAMETER_VALUE),
  }))
  return read.filter(({ name }) => name !== '')
}

import { Type } from '@sinclair/typebox'
import type { StoredParameter, StoredVariant } from '../../db/column-types.ts'
import { checkAll, invalid } from '../../errors.ts'
import type { Field, FieldColumns } from '../field.ts'
import { createTextSchema, createUrlSchema } from '../field-kinds.ts'
import {
  MAX_PARAMETER_NAME,
  MAX_PARAMETER_VALUE,
  MAX_PARAMETERS,
  requireBoundedText,
} from '../rules/lengths.ts'
import {
  canBeTargetLists,
  MAX_RULES,
  type Rule,
  type RuleInput,
  readRules,
  ruleSchema,
} from '../rules/rule.ts'
import { MAX_VARIANTS, MAX_WEIGHT, readSplit, type VariantInput } from '../split.ts'
import { formatLinkType, parseLinkType } from './link-type.ts'

/** The field `type`: how a link shows its destination. */
export const typeField = {
  kind: 'text',
  columns: { redirect: 'direct', splash_id: null, overlay_id: null },
  api: 'type',
  schema: createTextSchema(
    64,
    'direct, frame or splash; 12 for splash page 12; overlay-12 for overlay 12',
  ),
  async read(value, { checkPage }) {
    const type = parseLinkType(value ?? 'direct')
    await checkPage(type)
    return { redirect: type.redirect, splash_id: type.splashId, overlay_id: type.overlayId }
  },
  readStored: ({ redirect, splash_id: splashId, overlay_id: overlayId }) =>
    formatLinkType({ redirect, splashId, overlayId }),
  details: { name: 'type', schema: Type.String() },
  file: {
    name: 'type',
    // Splash pages and overlays belong to the account that exported the file.
    accept: (type) => (type === 'frame' ? 'frame' : 'direct'),
    write: ({ redirect }) => (redirect === 'frame' ? 'frame' : null),
  },
  form: { name: 'type', input: 'choice', section: 'appearance' },
} satisfies Field<string>

/** The ordered targeting rules of a link. The three target lists are views of them. */
export const rulesField = {
  kind: 'list',
  columns: { rules: [] },
  api: 'rules',
  schema: Type.Array(ruleSchema, {
    maxItems: MAX_RULES,
    description:
      "The first rule whose conditions are all met applies. Replaces the three target lists. A target list in the same request replaces the rules whose only condition is that list's (country, device or language).",
  }),
  async read(value, { maxRules, checkUrl }) {
    return { rules: await readRules(value ?? [], { max: maxRules, checkUrl }) }
  },
  readStored: getRules,
  details: {
    name: 'rules',
    schema: Type.Array(
      Type.Object({ when: Type.Record(Type.String(), Type.Unknown()), to: Type.String() }),
      { description: 'Absent if there are none.' },
    ),
    optional: true,
    present: (rules) => (rules.length > 0 ? rules : undefined),
  },
  file: {
    name: 'rules',
    csv: { header: 'Rules', names: 'rules', write: getRules },
    // Prefers target lists, which other programs support, if they can represent all rules.
    write: (columns) => (canBeTargetLists(getRules(columns)) ? null : getRules(columns)),
  },
  form: { name: 'rule', input: 'rules', section: 'targeting' },
} satisfies Field<readonly RuleInput[], readonly Rule[]>

function getRules(columns: FieldColumns): readonly Rule[] {
  return columns.rules as Rule[]
}

const variantSchema = Type.Object({
  to: createUrlSchema('The destination of this variant.'),
  weight: Type.Integer({ minimum: 1, maximum: MAX_WEIGHT }),
})

/** The destinations among which a link divides its visitors. */
export const splitField = {
  kind: 'list',
  columns: { split: [] },
  api: 'split',
  schema: Type.Array(variantSchema, {
    maxItems: MAX_VARIANTS,
    description:
      'Destinations among which visitors are divided by weight, unless a rule applies. Each visitor always gets the same one.',
  }),
  async read(value, { checkUrl }) {
    return { split: await readSplit(value ?? [], checkUrl) }
  },
  readStored: ({ split }) => split,
  details: {
    name: 'split',
    schema: Type.Array(Type.Object({ to: Type.String(), weight: Type.Integer() })),
    optional: true,
    present: (split) => (split.length > 0 ? split : undefined),
  },
  file: { name: 'split', csv: { header: 'Split', names: 'split' } },
  form: { name: 'split', input: 'rows', section: 'targeting', entry: ['to', 'weight'] },
} satisfies Field<readonly VariantInput[], readonly StoredVariant[]>

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
  const read = ({ name, value }: Parameter, index: number) => {
    const field = `parameters[${index}]`
    const [validName, validValue] = checkAll(
      () => requireBoundedText(`${field}.name`, name ?? '', MAX_PARAMETER_NAME),
      () => requireBoundedText(`${field}.value`, value ?? '', MAX_PARAMETER_VALUE),
    )
    return { name: validName, value: validValue }
  }
  const [, ...valid] = checkAll(
    () => requireFew(parameters.length),
    ...parameters.slice(0, MAX_PARAMETERS).map((each, index) => () => read(each, index)),
  )
  return valid.filter(({ name }) => name !== '')
}

function requireFew(count: number): void {
  if (count > MAX_PARAMETERS)
    throw invalid('parameters', 'at_most_entries', { max: MAX_PARAMETERS })
}

import { Type } from '@sinclair/typebox'
import type { Field, FieldColumns } from '../field.ts'
import {
  canBeTargetLists,
  MAX_RULES,
  type Rule,
  type RuleInput,
  readRules,
  ruleSchema,
} from '../rules/rule.ts'

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

import { addScheme } from '../../../../destination-url.ts'
import { invalid } from '../../../../errors.ts'
import { CONDITION_NAMES, type ConditionName } from '../../../../links/rules/conditions.ts'
import { MAX_RULES, type Rule, type RuleInput } from '../../../../links/rules/rule.ts'
import { formatCondition, parseCondition } from './condition-value.ts'

/** A rule in the form. */
export type FormRule = {
  to: string
  /** Input values by name, without the `rule-N-` prefix. */
  inputs: Readonly<Record<string, string>>
}

/** The form inputs of a kind of condition. */
type Shape = {
  /** Appended to the condition's name to form its input names. */
  suffixes: readonly string[]
  format: (value: unknown) => readonly string[]
  parse: (texts: readonly string[]) => unknown
}

const TIME: Shape = {
  suffixes: ['-days', '-from', '-until', '-zone'],
  format(value) {
    const {
      days = [],
      from = '',
      until = '',
      zone = '',
    } = value as Record<string, string> & {
      days?: readonly string[]
    }
    return [days.join(), from, until, zone]
  },
  parse: ([days, from, until, zone]) => ({
    ...(days && { days: days.split(',') }),
    ...(from && { from }),
    ...(until && { until }),
    ...(zone && { zone }),
  }),
}

function getShape(name: ConditionName): Shape {
  if (name === 'time') return TIME
  return {
    suffixes: [''],
    format: (value) => [formatCondition(name, value)],
    parse: ([text = '']) => parseCondition(name, text),
  }
}

/** Returns the names of a condition's inputs without the rule's prefix. */
export function listConditionInputs(name: ConditionName): string[] {
  return getShape(name).suffixes.map((suffix) => `${name}${suffix}`)
}

/** Returns the conditions of a rule in the order of `CONDITION_NAMES`. */
export function listConditions({ inputs }: FormRule): ConditionName[] {
  return CONDITION_NAMES.filter((name) =>
    listConditionInputs(name).some((input) => input in inputs),
  )
}

/** Returns the inputs of an empty condition. */
export function createEmptyCondition(name: ConditionName, zone: string): Record<string, string> {
  const inputs = listConditionInputs(name).map((input) => [
    input,
    input === 'time-zone' ? zone : '',
  ])
  return Object.fromEntries(inputs)
}

/** Reads the rules of a submitted form by key, in order. */
export function readFormRules(given: Readonly<Record<string, unknown>>): Map<string, FormRule> {
  const names = CONDITION_NAMES.flatMap(listConditionInputs)
  const readTexts = (value: unknown) => [value].flat().filter((each) => typeof each === 'string')
  const rules = readTexts(given.rule).map((key): [string, FormRule] => {
    const inputs = names.flatMap((name) => {
      // An empty list of choices is sent only as its `-set`.
      const [value, mark] = [`rule-${key}-${name}`, `rule-${key}-${name}-set`]
      const texts = readTexts([given[value] ?? [], given[mark] ?? []].flat())
      return texts.length > 0 ? [[name, texts.filter(Boolean).join()]] : []
    })
    return [
      key,
      { to: readTexts(given[`rule-${key}-to`])[0] ?? '', inputs: Object.fromEntries(inputs) },
    ]
  })
  return new Map(rules)
}

/** Returns whether a rule is empty. */
export function isEmptyRule({ to, inputs }: FormRule): boolean {
  const isTyped = ([name, text]: [string, string]) => name !== 'time-zone' && text.trim() !== ''
  return to.trim() === '' && !Object.entries(inputs).some(isTyped)
}

export function formatRules(rules: readonly Rule[]): FormRule[] {
  return rules.map(({ when, to }) => {
    const inputs = CONDITION_NAMES.flatMap((name) => {
      if (when[name] === undefined) return []
      const texts = getShape(name).format(when[name])
      return listConditionInputs(name).map((input, index) => [input, texts[index] ?? ''])
    })
    return { to, inputs: Object.fromEntries(inputs) }
  })
}

/**
 * Returns the rules of a form. Throws AppError `invalid_input` naming a condition without a value.
 */
export function parseRules(rules: readonly FormRule[]): RuleInput[] {
  return rules.map((rule, index) => {
    const when = listConditions(rule).map((name) => {
      const texts = listConditionInputs(name).map((input) => rule.inputs[input] ?? '')
      if (texts.every((text) => text.trim() === '')) {
        throw invalid(`rules[${index}].when.${name}`, 'rule_value_empty')
      }
      return [name, getShape(name).parse(texts)]
    })
    return { when: Object.fromEntries(when), to: addScheme(rule.to) }
  })
}

/** Returns the id of the input to which a rule error belongs, by the error's field path. */
export function findRuleErrorId(path: string): string | undefined {
  const [, index, part = '', name = '', inner = ''] =
    /^rules\[(\d+)\]\.?(\w*)\.?(\w*)\.?(\w*)/.exec(path) ?? []
  if (index === undefined) return path === 'rules' ? 'rules' : undefined
  if (part !== 'when') return `rule-${index}-to`
  if (!CONDITION_NAMES.includes(name as ConditionName)) return `rule-${index}-add`
  const inputs = listConditionInputs(name as ConditionName)
  const input = inputs.find((each) => each === `${name}-${inner}`) ?? inputs[0]
  return `rule-${index}-${input}`
}

/**
 * Returns whether the form can add a rule. A link from an import may have more than the form
 * allows.
 */
export function canAddRule(rules: readonly unknown[]): boolean {
  return rules.length < MAX_RULES
}

import {
  CONDITION_NAMES,
  type ConditionName,
  getCondition,
} from '../../../links/rules/conditions.ts'
import { MAX_RULES, type Rule, type RuleInput } from '../../../links/rules/rule.ts'
import { addScheme } from '../../../urls/destination-url.ts'
import { placeNames } from '../shell/place-names.ts'

/** A rule in the form. */
export type FormRule = {
  to: string
  /** Input values by name, without the `rule-N-` prefix. */
  inputs: Readonly<Record<string, string>>
}

type Given = Readonly<Record<string, unknown>>

const TIME_PARTS = ['days', 'from', 'until', 'zone'] as const

/** Returns the names of a condition's inputs without the rule's prefix. */
export function listConditionInputs(name: ConditionName): string[] {
  return name === 'time' ? TIME_PARTS.map((part) => `time-${part}`) : [name]
}

/** Returns the conditions of a rule in the order of `CONDITION_NAMES`. */
export function listConditions({ inputs }: FormRule): ConditionName[] {
  return CONDITION_NAMES.filter((name) =>
    listConditionInputs(name).some((input) => input in inputs),
  )
}

/** Returns the inputs of an empty condition. */
export function createEmptyCondition(name: ConditionName, zone: string): Record<string, string> {
  const inputs = listConditionInputs(name)
  return Object.fromEntries(inputs.map((input) => [input, input === 'time-zone' ? zone : '']))
}

/** Reads the rules of a submitted form by key, in order. */
export function readFormRules(given: Given): Map<string, FormRule> {
  const names = CONDITION_NAMES.flatMap(listConditionInputs)
  const rules = readTexts(given.rule).map((key): [string, FormRule] => {
    const inputs = names.flatMap((name) => {
      // An empty list of choices is sent only as its `-set`.
      const [value, mark] = [`rule-${key}-${name}`, `rule-${key}-${name}-set`]
      const texts = readTexts([given[value] ?? [], given[mark] ?? []].flat())
      return texts.length > 0 ? [[name, texts.filter(Boolean).join()]] : []
    })
    const to = readTexts(given[`rule-${key}-to`])[0] ?? ''
    return [key, { to, inputs: Object.fromEntries(inputs) }]
  })
  return new Map(rules)
}

/** Returns the single or repeated values of a form field. */
export function readTexts(value: unknown): string[] {
  return [value].flat().filter((each) => typeof each === 'string')
}

/** Returns whether a rule is empty. */
export function isEmptyRule({ to, inputs }: FormRule): boolean {
  const isTyped = ([name, text]: [string, string]) => name !== 'time-zone' && text.trim() !== ''
  return to.trim() === '' && !Object.entries(inputs).some(isTyped)
}

export function formatRules(rules: readonly Rule[]): FormRule[] {
  return rules.map(({ when, to }) => {
    const inputs = CONDITION_NAMES.flatMap((name) => {
      const value: unknown = when[name]
      if (value === undefined) return []
      if (name !== 'time') return [[name, formatCondition(name, value)]]
      const time = value as Record<string, string | readonly string[]>
      return TIME_PARTS.map((part) => [`time-${part}`, String(time[part] ?? '')])
    })
    return { to, inputs: Object.fromEntries(inputs) }
  })
}

/** Returns the paths of the conditions without a value. */
export function listEmptyConditions(rules: readonly FormRule[]): string[] {
  return rules.flatMap((rule, index) => {
    const empty = listConditions(rule).filter((name) =>
      listConditionInputs(name).every((input) => !rule.inputs[input]?.trim()),
    )
    return empty.map((name) => `rules[${index}].when.${name}`)
  })
}

/** Returns the rules of a form. */
export function parseRules(rules: readonly FormRule[]): RuleInput[] {
  return rules.map((rule) => {
    const when = listConditions(rule).map((name) => {
      const texts = listConditionInputs(name).map((input) => rule.inputs[input] ?? '')
      return [name, name === 'time' ? parseTime(texts) : parseCondition(name, texts[0] ?? '')]
    })
    return { when: Object.fromEntries(when), to: addScheme(rule.to) }
  })
}

function parseTime([days, from, until, zone]: readonly string[]) {
  return {
    ...(days && { days: days.split(',') }),
    ...(from && { from }),
    ...(until && { until }),
    ...(zone && { zone }),
  }
}

/**
 * Returns a condition's value as text. Names of countries and languages are in the language of the
 * page.
 */
function formatCondition(name: ConditionName, value: unknown): string {
  const { format } = getCondition(name)
  const names = findPlaceNames(name)
  if (!names) return format(value)
  return [value]
    .flat()
    .map((each) => names.localize(format(each)))
    .join(', ')
}

/**
 * Converts text that a user entered to input for a condition, which expects English names of
 * countries and languages.
 */
function parseCondition(name: ConditionName, text: string): unknown {
  const { parse = String } = getCondition(name)
  const input = parse(text)
  const names = findPlaceNames(name)
  if (!names) return input
  return Array.isArray(input)
    ? input.map((each) => names.toEnglish(String(each)))
    : names.toEnglish(text)
}

/** Returns the names of places that a condition compares with, if it does. */
function findPlaceNames(name: ConditionName) {
  return name === 'country' || name === 'language' ? placeNames[name] : undefined
}

/** Returns the id of the input to which a rule error belongs, by the error's field path. */
export function findRuleErrorId(path: string): string {
  const [, index, part = '', name = '', inner = ''] =
    /^rules\[(\d+)\]\.?(\w*)\.?(\w*)\.?(\w*)/.exec(path) ?? []
  if (index === undefined) return 'rules'
  if (part !== 'when') return `rule-${index}-to`
  const condition = CONDITION_NAMES.find((each) => each === name)
  if (!condition) return `rule-${index}-add`
  const inputs = listConditionInputs(condition)
  return `rule-${index}-${inputs.find((each) => each === `${name}-${inner}`) ?? inputs[0]}`
}

/** The rules after a button was pressed, and the id of the element to focus. */
type Changed = { rules: FormRule[]; focus: string }

/**
 * Applies a button of the panel without scripts: `rules:add`, `rules:<key>:up`, `down`, `remove`,
 * `add` and `drop:<condition>`. Returns undefined for other buttons.
 */
export function changeRules(given: Given, action: string, zone: string): Changed | undefined {
  const [subject, key = '', verb = '', dropped] = action.split(':')
  if (subject !== 'rules') return undefined
  const byKey = readFormRules(given)
  const rules = [...byKey.values()]
  if (key === 'add') return addRule(rules, parseConditionName(given['new-condition']), zone)
  const index = [...byKey.keys()].indexOf(key)
  const rule = rules[index]
  if (!rule) return { rules, focus: 'rules' }
  switch (verb) {
    case 'up':
    case 'down':
      return move(rules, index, verb === 'up' ? index - 1 : index + 1)
    case 'remove':
      return { rules: rules.toSpliced(index, 1), focus: 'rules' }
    case 'add': {
      const name = parseConditionName(given[`rule-${key}-add`])
      const inputs = { ...createEmptyCondition(name, zone), ...rule.inputs }
      const focus = `rule-${index}-${listConditionInputs(name)[0]}`
      return { rules: rules.with(index, { ...rule, inputs }), focus }
    }
    case 'drop': {
      const names = listConditionInputs(parseConditionName(dropped))
      const kept = Object.entries(rule.inputs).filter(([name]) => !names.includes(name))
      const inputs = Object.fromEntries(kept)
      return { rules: rules.with(index, { ...rule, inputs }), focus: `rule-${index}-add` }
    }
    default:
      return { rules, focus: 'rules' }
  }
}

function addRule(rules: FormRule[], name: ConditionName, zone: string): Changed {
  // A link from an import may have more rules than the form allows.
  if (rules.length >= MAX_RULES) return { rules, focus: 'rules' }
  const rule = { to: '', inputs: createEmptyCondition(name, zone) }
  return { rules: [...rules, rule], focus: `rule-${rules.length}-${listConditionInputs(name)[0]}` }
}

function move(rules: FormRule[], from: number, to: number): Changed {
  const rule = rules[from]
  if (!rule || to < 0 || to >= rules.length) return { rules, focus: `rule-${from}` }
  return { rules: rules.toSpliced(from, 1).toSpliced(to, 0, rule), focus: `rule-${to}` }
}

function parseConditionName(value: unknown): ConditionName {
  return CONDITION_NAMES.find((name) => name === value) ?? 'country'
}

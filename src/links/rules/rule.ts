import { isDeepStrictEqual } from 'node:util'
import { Type } from '@sinclair/typebox'
import { checkAll, checkAllAsync, invalid } from '../../errors.ts'
import {
  CONDITION_NAMES,
  type ConditionName,
  type Conditions,
  getCondition,
  listNames,
  type RuleVisitor,
} from './conditions.ts'

/**
 * Sends visitors to `to` if they meet all conditions. The first matching rule of a link applies.
 */
export type Rule = { when: Conditions; to: string }

/** A rule as sent by a client. `conditions.ts` validates its conditions. */
export type RuleInput = { when?: object | null | undefined; to?: string | null | undefined }

/** The conditions whose rules also appear as target lists, in the order of the lists' rules. */
export const TARGET_KINDS = ['country', 'device', 'language'] as const
export type TargetKind = (typeof TARGET_KINDS)[number]

/** An entry of a target list, with its canonical name. */
export type StoredTarget = { name: string; link: string }

/** The maximum number of rules per request. */
export const MAX_RULES = 50

/** Returns the destination of the first rule that matches, or else `otherwise`. */
export function chooseDestination<Otherwise>(
  rules: readonly Rule[],
  otherwise: Otherwise,
  visitor: RuleVisitor,
  now: Date,
): string | Otherwise {
  for (let index = 0; index < rules.length; ) {
    const run = findLanguageRun(rules, index)
    // Consecutive rules that only have languages form one choice: the visitor's preferred language.
    const best = run.length > 0 ? visitor.bestLanguage(run.flat()) : 0
    const rule = rules[index + findOwner(run, best)]
    if (rule && best >= 0 && (run.length > 0 || meetsAllConditions(rule, visitor, now)))
      return rule.to
    index += Math.max(1, run.length)
  }
  return otherwise
}

function meetsAllConditions({ when }: Rule, visitor: RuleVisitor, now: Date): boolean {
  return (Object.keys(when) as ConditionName[]).every(
    // Unknown conditions come from a newer version of this program.
    (name) => getCondition(name)?.holds(when[name], visitor, now) ?? false,
  )
}

/** Returns the languages of each rule of the run, starting at `first`, that only has languages. */
function findLanguageRun(rules: readonly Rule[], first: number): (readonly string[])[] {
  const run: (readonly string[])[] = []
  for (let index = first; index < rules.length; index += 1) {
    const { when = {} } = rules[index] ?? {}
    if (when.language === undefined || Object.keys(when).length !== 1) break
    run.push(listNames(when.language))
  }
  return run
}

/** Returns the index of the list that has the element at `position` of all lists together. */
function findOwner(lists: readonly (readonly string[])[], position: number): number {
  let rest = position
  for (const [index, { length }] of lists.entries()) {
    if (rest < length) return index
    rest -= length
  }
  return 0
}

/**
 * Returns the name in a rule's only condition if the condition is of this kind. Otherwise, and for a
 * list of names, returns undefined.
 */
function findTargetName(rule: Rule | undefined, kind: TargetKind): string | undefined {
  if (!rule || Object.keys(rule.when).length !== 1) return undefined
  const value = rule.when[kind]
  return typeof value === 'string' ? value : undefined
}

/** Returns the rules of one kind as a list of targets. */
export function listTargets(rules: readonly Rule[], kind: TargetKind): StoredTarget[] {
  return rules.flatMap((rule) => {
    const name = findTargetName(rule, kind)
    return name === undefined ? [] : { name, link: rule.to }
  })
}

/**
 * Replaces the rules of one kind. The new rules take the position of the first replaced rule. If
 * there was none, they go before the rules of the kinds that follow in the order country, device,
 * language, or else to the end.
 */
export function replaceTargets(
  rules: readonly Rule[],
  kind: TargetKind,
  targets: readonly StoredTarget[],
): Rule[] {
  const replacement = targets.map(({ name, link }) => ({ when: { [kind]: name }, to: link }))
  const isOfKind = (rule: Rule, kinds: readonly TargetKind[]) =>
    kinds.some((each) => findTargetName(rule, each) !== undefined)
  const others = rules.filter((rule) => !isOfKind(rule, [kind]))
  const first = rules.findIndex((rule) => isOfKind(rule, [kind]))
  const firstLater = others.findIndex((rule) =>
    isOfKind(rule, TARGET_KINDS.slice(TARGET_KINDS.indexOf(kind) + 1)),
  )
  const fallback = firstLater >= 0 ? firstLater : others.length
  const position = first >= 0 ? first : fallback
  return others.toSpliced(position, 0, ...replacement)
}

/**
 * Returns whether rules can be written as target lists: each rule belongs to one of the lists, the
 * lists are in order, and names are not repeated.
 */
export function canBeTargetLists(rules: readonly Rule[]): boolean {
  const hasRepeated = TARGET_KINDS.some((kind) => {
    const names = listTargets(rules, kind).map(({ name }) => name)
    return new Set(names).size < names.length
  })
  if (hasRepeated) return false
  const rebuilt = TARGET_KINDS.reduce<readonly Rule[]>(
    (built, kind) => replaceTargets(built, kind, listTargets(rules, kind)),
    [],
  )
  return isDeepStrictEqual(rebuilt, rules)
}

/** The schema of a rule in requests. */
export const ruleSchema = Type.Object({
  when: Type.Object(
    Object.fromEntries(
      CONDITION_NAMES.map((name) => [name, Type.Optional(getCondition(name).schema)]),
    ),
  ),
  to: Type.String({
    maxLength: 32_768,
    minLength: 1,
    format: 'text',
    description: 'The destination for visitors who meet all conditions.',
  }),
})

/**
 * Converts rules to their stored form. Throws AppError `invalid_input` naming the field and entry.
 */
export async function readRules(
  entries: readonly RuleInput[],
  {
    max,
    checkUrl,
  }: {
    max: number
    checkUrl: (field: string, url: string) => string | Promise<string>
  },
): Promise<Rule[]> {
  const readRule = async ({ when, to }: RuleInput, index: number): Promise<Rule> => {
    const field = `rules[${index}]`
    const [, conditions, href] = await checkAllAsync(
      () => requireString(`${field}.to`, to),
      () => readConditions(`${field}.when`, when),
      () => (typeof to === 'string' ? checkUrl(`${field}.to`, to) : ''),
    )
    return { when: conditions, to: href }
  }
  const [, ...rules] = await checkAllAsync(
    () => requireFew(entries.length, max),
    ...entries.slice(0, max).map((entry, index) => () => readRule(entry, index)),
  )
  return rules
}

function requireFew(count: number, max: number): void {
  if (count > max) throw invalid('rules', 'at_most_entries', { max })
}

function requireString(field: string, value: unknown): void {
  if (typeof value !== 'string') throw invalid(field, 'url')
}

/** Returns the conditions in table order, regardless of the order in the request. */
function readConditions(field: string, input: unknown): Conditions {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw invalid(field, 'object_of_conditions')
  }
  const values = new Map(Object.entries(input).filter(([, value]) => value != null))
  if (values.size === 0) throw invalid(field, 'condition_needed')
  const checkName = (name: string) => {
    if (!CONDITION_NAMES.includes(name as ConditionName)) {
      throw invalid(`${field}.${name.slice(0, 64)}`, 'unknown_condition')
    }
    // Skipping the condition would apply the rule to more visitors.
    if (values.get(name) === '') throw invalid(`${field}.${name}`, 'empty')
  }
  const read = (name: ConditionName) =>
    [name, getCondition(name).read(`${field}.${name}`, values.get(name))] as const
  const names = CONDITION_NAMES.filter((name) => values.has(name))
  const [, conditions] = checkAll(
    () => values.forEach((_value, name) => void checkName(name)),
    () => checkAll(...names.map((name) => () => read(name))),
  )
  return Object.fromEntries(conditions)
}

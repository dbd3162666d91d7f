import { isDeepStrictEqual } from 'node:util'
import { Type } from '@sinclair/typebox'
import type { StoredTarget } from '../../db/schema/links.ts'
import { invalid } from '../../errors.ts'
import {
  CONDITION_NAMES,
  type ConditionName,
  type Conditions,
  conditionOf,
  type RuleVisitor,
} from './conditions.ts'

/**
 * Sends visitors to `to` if they meet all conditions. The first matching rule of a link applies.
 */
export type Rule = { when: Conditions; to: string }

/** A rule as sent by a client. `conditions.ts` validates its conditions. */
export type RuleInput = { when?: object | null | undefined; to?: string | null | undefined }

/** The kinds of rules that appear as target lists, in the order of their rules. */
export const FORMS = ['country', 'device', 'language'] as const
export type Form = (typeof FORMS)[number]

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
    const languages = languageRun(rules, index)
    // Consecutive rules that only have a language form one choice: the visitor's preferred
    // language.
    const best = languages.length > 0 ? visitor.bestLanguage(languages) : 0
    const rule = rules[index + best]
    if (rule && best >= 0 && (languages.length > 0 || allConditionsHold(rule, visitor, now)))
      return rule.to
    index += Math.max(1, languages.length)
  }
  return otherwise
}

function allConditionsHold({ when }: Rule, visitor: RuleVisitor, now: Date): boolean {
  return (Object.keys(when) as ConditionName[]).every(
    // Unknown conditions come from a newer version of this program.
    (name) => conditionOf(name)?.holds(when[name], visitor, now) ?? false,
  )
}

/** Returns the languages of the run of rules, starting at `first`, that only have a language. */
function languageRun(rules: readonly Rule[], first: number): string[] {
  const languages: string[] = []
  for (let index = first; index < rules.length; index += 1) {
    const language = targetName(rules[index], 'language')
    if (language === undefined) break
    languages.push(language)
  }
  return languages
}

/**
 * Returns the value of a rule's only condition if the rule has this form. Otherwise returns
 * undefined.
 */
function targetName(rule: Rule | undefined, form: Form): string | undefined {
  if (!rule || Object.keys(rule.when).length !== 1) return undefined
  return rule.when[form]
}

/** Returns the rules of one form as a list of targets. */
export function targetsOf(rules: readonly Rule[], form: Form): StoredTarget[] {
  return rules.flatMap((rule) => {
    const name = targetName(rule, form)
    return name === undefined ? [] : { name, link: rule.to }
  })
}

/**
 * Replaces the rules of one form. The new rules take the position of the first replaced rule. If
 * there was none, they go after the rules of the preceding forms, or before every rule that could
 * match first. The order of forms is country, device, language.
 */
export function replaceTargets(
  rules: readonly Rule[],
  form: Form,
  targets: readonly StoredTarget[],
): Rule[] {
  const replacement = targets.map(({ name, link }) => ({ when: { [form]: name }, to: link }))
  const isOf = (rule: Rule, forms: readonly Form[]) =>
    forms.some((each) => targetName(rule, each) !== undefined)
  const others = rules.filter((rule) => !isOf(rule, [form]))
  const first = rules.findIndex((rule) => isOf(rule, [form]))
  const later = others.findIndex((rule) => isOf(rule, FORMS.slice(FORMS.indexOf(form) + 1)))
  const place = first >= 0 ? first : later >= 0 ? later : others.length
  return others.toSpliced(place, 0, ...replacement)
}

/**
 * Returns whether rules can be written as target lists: each rule belongs to one of the lists, the
 * lists are in order, and names are not repeated.
 */
export function areTargets(rules: readonly Rule[]): boolean {
  const hasRepeated = FORMS.some((form) => {
    const names = targetsOf(rules, form).map(({ name }) => name)
    return new Set(names).size < names.length
  })
  if (hasRepeated) return false
  const listed = FORMS.reduce<readonly Rule[]>(
    (built, form) => replaceTargets(built, form, targetsOf(rules, form)),
    [],
  )
  return isDeepStrictEqual(listed, rules)
}

/** The schema of a rule in requests. */
export const ruleSchema = Type.Object({
  when: Type.Object(
    Object.fromEntries(
      CONDITION_NAMES.map((name) => [name, Type.Optional(conditionOf(name).schema)]),
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
  if (entries.length > max) throw invalid('rules', `must have at most ${max} entries`)
  const rules: Rule[] = []
  for (const [index, { when, to }] of entries.entries()) {
    const field = `rules[${index}]`
    if (typeof to !== 'string') throw invalid(`${field}.to`, 'must be a URL')
    if (typeof when !== 'object' || when === null || Array.isArray(when)) {
      throw invalid(`${field}.when`, 'must be an object of conditions')
    }
    rules.push({
      when: readConditions(`${field}.when`, when),
      to: await checkUrl(`${field}.to`, to),
    })
  }
  return rules
}

/** Returns the conditions in table order, regardless of the order in the request. */
function readConditions(field: string, input: object): Conditions {
  const values = new Map(Object.entries(input).filter(([, value]) => value != null))
  for (const [name, value] of values) {
    if (!CONDITION_NAMES.includes(name as ConditionName)) {
      throw invalid(`${field}.${name.slice(0, 64)}`, 'is not a known condition')
    }
    // Skipping the condition would apply the rule to more visitors.
    if (value === '') throw invalid(`${field}.${name}`, 'must not be empty')
  }
  if (values.size === 0) throw invalid(field, 'must have at least one condition')
  return Object.fromEntries(
    CONDITION_NAMES.filter((name) => values.has(name)).map((name) => [
      name,
      conditionOf(name).read(`${field}.${name}`, values.get(name)),
    ]),
  )
}

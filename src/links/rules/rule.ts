import type { TargetRow } from '../../db/schema/links.ts'
import { invalid } from '../../errors.ts'
import {
  CONDITION_NAMES,
  type ConditionName,
  type Conditions,
  conditionOf,
  type RuleVisitor,
} from './conditions.ts'

/** Visitors for whom all conditions hold get this destination; the first such rule of a link wins. */
export type Rule = { when: Conditions; to: string }

/** What a client asks for: as `conditions.ts` reads it. */
export type RuleInput = { when?: object | null | undefined; to?: string | null | undefined }

/** The forms of rules of which the lists of targets are views, in the order of their rules. */
export const FORMS = ['country', 'device', 'language'] as const
export type Form = (typeof FORMS)[number]

/** Rules in one request. */
export const MAX_RULES = 50

/** Returns the destination of the first rule that applies, or else `otherwise`. */
export function chooseDestination(
  rules: readonly Rule[],
  otherwise: string,
  visitor: RuleVisitor,
  now: Date,
): string {
  for (let index = 0; index < rules.length; ) {
    const languages = languageRun(rules, index)
    // Neighbors that ask for a language alone are one choice: the one that suits the visitor best wins.
    const best = languages.length > 0 ? visitor.bestLanguage(languages) : 0
    const rule = rules[index + best]
    if (rule && best >= 0 && (languages.length > 0 || holdsAll(rule, visitor, now))) return rule.to
    index += Math.max(1, languages.length)
  }
  return otherwise
}

function holdsAll({ when }: Rule, visitor: RuleVisitor, now: Date): boolean {
  return (Object.keys(when) as ConditionName[]).every(
    // An unknown condition is from a newer version of this program.
    (name) => conditionOf(name)?.holds(when[name], visitor, now) ?? false,
  )
}

/** The languages of the rules from `first` on that ask for a language and nothing else. */
function languageRun(rules: readonly Rule[], first: number): string[] {
  const languages: string[] = []
  for (let index = first; index < rules.length; index += 1) {
    const language = targetName(rules[index], 'language')
    if (language === undefined) break
    languages.push(language)
  }
  return languages
}

/** The value of a rule's only condition; undefined for a rule of another form. */
function targetName(rule: Rule | undefined, form: Form): string | undefined {
  if (!rule || Object.keys(rule.when).length !== 1) return undefined
  return rule.when[form]
}

/** The rules of one form as a list of targets. */
export function targetsOf(rules: readonly Rule[], form: Form): TargetRow[] {
  return rules.flatMap((rule) => {
    const name = targetName(rule, form)
    return name === undefined ? [] : { name, link: rule.to }
  })
}

/**
 * Replaces the rules of one form. They go where the first of them was; if there was none, behind the rules
 * of the forms before, or ahead of all that could hide them: the order is country, device, language.
 */
export function replaceTargets(
  rules: readonly Rule[],
  form: Form,
  targets: readonly TargetRow[],
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

/** Reads rules into their stored form. Throws AppError `invalid_input` naming the field and entry. */
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

/** In the order of the table, whatever order they were given in. */
function readConditions(field: string, given: object): Conditions {
  const values = new Map(Object.entries(given).filter(([, value]) => value != null && value !== ''))
  for (const name of values.keys()) {
    if (!CONDITION_NAMES.includes(name as ConditionName)) {
      throw invalid(`${field}.${name.slice(0, 64)}`, 'is not a known condition')
    }
  }
  if (values.size === 0) throw invalid(field, 'must have at least one condition')
  return Object.fromEntries(
    CONDITION_NAMES.filter((name) => values.has(name)).map((name) => [
      name,
      conditionOf(name).read(`${field}.${name}`, values.get(name)),
    ]),
  )
}

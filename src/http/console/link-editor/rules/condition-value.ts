import { type ConditionName, getCondition } from '../../../../links/rules/conditions.ts'
import {
  localizeCountry,
  localizeLanguage,
  toEnglishCountry,
  toEnglishLanguage,
} from '../../shell/place-names.ts'

/**
 * Returns a condition's value as text. Names of countries and languages are in the language of the
 * page.
 */
export function formatCondition(name: ConditionName, value: unknown): string {
  const { format } = getCondition(name)
  const localize = { country: localizeCountry, language: localizeLanguage }[String(name)]
  return localize
    ? [value]
        .flat()
        .map((each) => localize(format(each)))
        .join(', ')
    : format(value)
}

/**
 * Converts text that a user entered to input for a condition, which expects English names of
 * countries and languages.
 */
export function parseCondition(name: ConditionName, text: string): unknown {
  const { parse = String } = getCondition(name)
  const input = parse(text)
  const toEnglish = { country: toEnglishCountry, language: toEnglishLanguage }[String(name)]
  if (!toEnglish) return input
  return Array.isArray(input) ? input.map((each) => toEnglish(String(each))) : toEnglish(text)
}

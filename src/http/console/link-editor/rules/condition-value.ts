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
  const text = getCondition(name).format(value)
  if (name === 'country') return localizeCountry(text)
  return name === 'language' ? localizeLanguage(text) : text
}

/**
 * Converts text that a user entered to input for a condition, which expects English names of
 * countries and languages.
 */
export function parseCondition(name: ConditionName, text: string): unknown {
  const { parse = String } = getCondition(name)
  if (name === 'country') return parse(toEnglishCountry(text))
  return parse(name === 'language' ? toEnglishLanguage(text) : text)
}

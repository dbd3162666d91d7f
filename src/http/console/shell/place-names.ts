import { lazy } from '../../../concurrency/lazy.ts'
import { findCountryCode, listCountryNames } from '../../../visitors/country-names.ts'
import {
  findLanguageCode,
  listLanguageNames,
  parseLanguageTarget,
} from '../../../visitors/language.ts'
import { currentLanguage, perLanguage } from '../../localization/language.ts'

const regions = perLanguage((language) => new Intl.DisplayNames(language, { type: 'region' }))
const languages = perLanguage((language) => new Intl.DisplayNames(language, { type: 'language' }))

/** Returns a country's name in the language of the page, for its code or English name. */
export function countryText(name: string): string {
  const code = findCountryCode(name)
  return code === undefined ? name : (regions().of(code) ?? name)
}

/** Returns a language's name in the language of the page, for its English name. */
export function languageText(name: string): string {
  const code = findLanguageCode(name)
  return code === undefined ? name : (languages().of(code) ?? name)
}

/** Returns the English name for a German name of a country. Returns other texts unchanged. */
export function englishCountry(text: string): string {
  if (findCountryCode(text) !== undefined) return text
  return germanCountries().get(text.trim().toLowerCase()) ?? text
}

/** Returns the English name for a German name of a language. Returns other texts unchanged. */
export function englishLanguage(text: string): string {
  if (parseLanguageTarget(text) !== undefined) return text
  return germanLanguages().get(text.trim().toLowerCase()) ?? text
}

/** Returns the names of all countries in the language of the page, sorted. */
export function countryTexts(): string[] {
  return sorted(listCountryNames().map(countryText))
}

/** Returns the names of languages in the language of the page, sorted. */
export function languageTexts(): string[] {
  return sorted(listLanguageNames().map(languageText))
}

function sorted(names: readonly string[]): string[] {
  return names.toSorted(new Intl.Collator(currentLanguage()).compare)
}

const germanCountries = lazy(() => {
  const names = new Intl.DisplayNames('de', { type: 'region' })
  return byGermanName(listCountryNames(), (name) => names.of(findCountryCode(name) ?? ''))
})

const germanLanguages = lazy(() => {
  const names = new Intl.DisplayNames('de', { type: 'language' })
  return byGermanName(listLanguageNames(), (name) => names.of(findLanguageCode(name) ?? ''))
})

function byGermanName(english: readonly string[], germanOf: (name: string) => string | undefined) {
  return new Map(english.map((name) => [(germanOf(name) ?? name).toLowerCase(), name]))
}

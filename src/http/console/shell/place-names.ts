import { lazy } from '../../../concurrency/lazy.ts'
import { getLanguage, memoizePerLanguage } from '../../../texts.ts'
import { findCountryCode, listCountryNames } from '../../../visitors/country-names.ts'
import {
  findLanguageCode,
  listLanguageNames,
  parseLanguageTarget,
} from '../../../visitors/language.ts'

const regions = memoizePerLanguage(
  (language) => new Intl.DisplayNames(language, { type: 'region' }),
)
const languages = memoizePerLanguage(
  (language) => new Intl.DisplayNames(language, { type: 'language' }),
)

/** Returns a country's name in the language of the page, for its code or English name. */
export function localizeCountry(name: string): string {
  const code = findCountryCode(name)
  return code === undefined ? name : (regions().of(code) ?? name)
}

/** Returns a language's name in the language of the page, for its English name. */
export function localizeLanguage(name: string): string {
  const code = findLanguageCode(name)
  return code === undefined ? name : (languages().of(code) ?? name)
}

/** Returns the English name for a German name of a country. Returns other texts unchanged. */
export function toEnglishCountry(text: string): string {
  if (findCountryCode(text) !== undefined) return text
  return germanCountries().get(text.trim().toLowerCase()) ?? text
}

/** Returns the English name for a German name of a language. Returns other texts unchanged. */
export function toEnglishLanguage(text: string): string {
  if (parseLanguageTarget(text) !== undefined) return text
  return germanLanguages().get(text.trim().toLowerCase()) ?? text
}

/** Returns the names of all countries in the language of the page, sorted. */
export function listLocalizedCountries(): string[] {
  return sortNames(listCountryNames().map(localizeCountry))
}

/** Returns the names of languages for targeting, in the language of the page, sorted. */
export function listLocalizedLanguages(): string[] {
  return sortNames(listLanguageNames().map(localizeLanguage))
}

function sortNames(names: readonly string[]): string[] {
  return names.toSorted(new Intl.Collator(getLanguage()).compare)
}

const germanCountries = lazy(() => {
  const names = new Intl.DisplayNames('de', { type: 'region' })
  return indexByGermanName(listCountryNames(), (name) => names.of(findCountryCode(name) ?? ''))
})

const germanLanguages = lazy(() => {
  const names = new Intl.DisplayNames('de', { type: 'language' })
  return indexByGermanName(listLanguageNames(), (name) => names.of(findLanguageCode(name) ?? ''))
})

/** Returns English names by their German names in lower case. */
function indexByGermanName(
  englishNames: readonly string[],
  getGermanName: (englishName: string) => string | undefined,
) {
  return new Map(englishNames.map((name) => [(getGermanName(name) ?? name).toLowerCase(), name]))
}

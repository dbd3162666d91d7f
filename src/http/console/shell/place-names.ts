import { lazy } from '../../../concurrency/memo.ts'
import { getLanguage, LANGUAGES, memoizePerLanguage } from '../../../texts.ts'
import { findCountryCode, listCountryNames } from '../../../visitors/country-names.ts'
import {
  findLanguageCode,
  listLanguageNames,
  parseLanguageTarget,
} from '../../../visitors/language.ts'

type EnglishNames = {
  list: () => string[]
  /** Returns the code for a name or code. */
  findCode: (name: string) => string | undefined
  /** Returns whether a text is a name or code. */
  accepts: (text: string) => boolean
}

/** The names of countries and languages in the languages of the console. */
export const placeNames = {
  country: createNames('region', {
    list: listCountryNames,
    findCode: findCountryCode,
    accepts: (text) => findCountryCode(text) !== undefined,
  }),
  language: createNames('language', {
    list: listLanguageNames,
    findCode: findLanguageCode,
    accepts: (text) => parseLanguageTarget(text) !== undefined,
  }),
}

function createNames(type: 'region' | 'language', { list, findCode, accepts }: EnglishNames) {
  const names = memoizePerLanguage((language) => new Intl.DisplayNames(language, { type }))
  const englishNames = lazy(() => {
    const pairs = Object.keys(LANGUAGES).flatMap((language) => {
      const translated = new Intl.DisplayNames(language, { type })
      return list().map((name) => [translated.of(findCode(name) ?? '') ?? name, name] as const)
    })
    return new Map(pairs.map(([translation, name]) => [translation.toLowerCase(), name]))
  })

  /** Returns the name in the language of the page, for an English name. */
  function localize(name: string): string {
    const code = findCode(name)
    return code === undefined ? name : (names().of(code) ?? name)
  }

  /** Returns the English name for one in any language. Returns other texts unchanged. */
  function toEnglish(text: string): string {
    return accepts(text) ? text : (englishNames().get(text.trim().toLowerCase()) ?? text)
  }

  /** Returns all names in the language of the page, sorted. */
  function listLocalized(): string[] {
    return list().map(localize).toSorted(new Intl.Collator(getLanguage()).compare)
  }

  return { localize, toEnglish, listLocalized }
}

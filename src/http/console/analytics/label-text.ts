import { type FilterName, OTHER_LABEL, UNKNOWN_LABEL } from '../../../clicks/read.ts'
import { findText, LANGUAGES, runWithLocale, t, tAll, type UserLanguage } from '../../../texts.ts'
import { BUNDLED_CREDIT, type Credit } from '../../../visitors/country-credit.ts'
import { getLanguageName } from '../../../visitors/language.ts'
import { DIRECT_LABEL } from '../../../visitors/referrer.ts'
import {
  localizeCountry,
  localizeLanguage,
  toEnglishCountry,
  toEnglishLanguage,
} from '../shell/place-names.ts'

const languages = Object.keys(LANGUAGES) as UserLanguage[]

/** Translates a label from English to the language of the page. */
export function localizeLabel(name: FilterName, label: string): string {
  if (label === UNKNOWN_LABEL) return t('breakdowns.unknown')
  if (label === OTHER_LABEL) return t('breakdowns.other')
  switch (name) {
    case 'referrer':
      return label === DIRECT_LABEL ? t('breakdowns.direct') : label
    case 'country':
      return localizeCountry(label)
    case 'language':
      return localizeLanguage(label)
    case 'device':
      return findText('breakdowns.devices', label) ?? label
    default:
      return label
  }
}

/** Returns the English name of a filter's label. Languages are filtered by code. */
export function toEnglishLabel(name: FilterName, value: string): string {
  return name === 'language' ? getLanguageName(value) : value
}

/** Returns the label of a filter in the language of the page. */
export function localizeFilterValue(name: FilterName, value: string): string {
  return localizeLabel(name, toEnglishLabel(name, value))
}

/** Returns the English label for a label that was entered in any language of the console. */
export function parseLabel(name: FilterName, text: string): string {
  if (matchesInAnyLanguage(() => t('breakdowns.unknown'), text)) return UNKNOWN_LABEL
  if (name === 'country') return toEnglishCountry(text)
  if (name === 'language') return toEnglishLanguage(text)
  if (name === 'referrer' && matchesInAnyLanguage(() => t('breakdowns.direct'), text))
    return DIRECT_LABEL
  if (name !== 'device') return text
  const labels = Object.keys(tAll('breakdowns.devices'))
  return (
    labels.find((label) =>
      matchesInAnyLanguage(() => findText('breakdowns.devices', label), text),
    ) ?? text
  )
}

function matchesInAnyLanguage(read: () => string | undefined, text: string): boolean {
  return languages.some(
    (language) => runWithLocale({ language }, read)?.toLowerCase() === text.toLowerCase(),
  )
}

/** Returns the attribution of the country data. Only that of the bundled data is translated. */
export function describeCredit({ text }: Credit): string {
  return text === BUNDLED_CREDIT.text ? t('breakdowns.countryData') : text
}

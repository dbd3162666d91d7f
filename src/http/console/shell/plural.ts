import { memoizePerLanguage } from '../../localization/language.ts'
import { formatCount } from './format-count.ts'

/** The plural forms of a text in English and German. `{n}` is the number. */
export type PluralForms = Readonly<Record<'one' | 'other', string>>

const rules = memoizePerLanguage((language) => new Intl.PluralRules(language))

/** Returns the plural form for a number and fills in the number. */
export function pluralize(count: number, forms: PluralForms): string {
  const form = rules().select(count) === 'one' ? forms.one : forms.other
  return form.replace('{n}', formatCount(count))
}

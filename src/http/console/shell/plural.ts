import { formatCount } from './format-count.ts'

/** The English plural forms of a text. `{n}` is the number. */
export type PluralForms = Readonly<Record<'one' | 'other', string>>

/** Returns the form for a number, with the number filled in. */
export function plural(count: number, forms: PluralForms): string {
  return (count === 1 ? forms.one : forms.other).replace('{n}', formatCount(count))
}

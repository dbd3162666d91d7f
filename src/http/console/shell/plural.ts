import { formatCount } from './format-count.ts'

/** The forms of a text in English; `{n}` is the number. */
export type PluralForms = Readonly<Record<'one' | 'other', string>>

/** Returns the form that fits the number, with the number in it. */
export function plural(count: number, forms: PluralForms): string {
  return (count === 1 ? forms.one : forms.other).replace('{n}', formatCount(count))
}

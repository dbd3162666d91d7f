import { BIO_THEMES } from '../../../bio/bio.ts'
import type { FormField } from '../resources/form-field.ts'
import { bioMessages as messages } from './messages.ts'

/**
 * Returns the fields of a bio page's form. `prefix` is the part of a bio page's URL before its alias.
 */
export function createBioFields(prefix: string): FormField[] {
  const { picture, links, themes } = messages
  return [
    { name: 'title', label: messages.title, maxLength: 200 },
    { name: 'alias', label: messages.alias, maxLength: 64, hint: messages.aliasHint(prefix) },
    { name: 'text', label: messages.text, type: 'multiline', maxLength: 5000, optional: true },
    { name: 'picture', type: 'image', ...picture },
    {
      name: 'links',
      label: links.label,
      type: 'rows',
      hint: links.hint,
      texts: links.rows,
      columns: [
        { name: 'title', label: links.title, example: links.titleExample, maxLength: 200 },
        { name: 'url', label: links.url, example: 'https://example.com/', maxLength: 8192 },
      ],
    },
    {
      name: 'theme',
      label: messages.theme,
      type: 'choice',
      choices: BIO_THEMES.map((value) => ({ value, label: themes[value] })),
    },
    { name: 'color', label: messages.color, type: 'color', hint: messages.colorHint },
  ]
}

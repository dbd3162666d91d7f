import { BIO_THEMES } from '../../../bio/bio.ts'
import { t, tAll } from '../../../texts.ts'
import type { FormField } from '../resources/form-field.ts'

/**
 * Returns the fields of a bio page's form. `prefix` is the part of a bio page's URL before its alias.
 */
export function createBioFields(prefix: string): FormField[] {
  return [
    { name: 'title', label: t('bio.title'), maxLength: 200 },
    { name: 'alias', label: t('bio.alias'), maxLength: 64, hint: t('bio.aliasHint', { prefix }) },
    { name: 'text', label: t('bio.text'), type: 'multiline', maxLength: 5000, optional: true },
    { name: 'picture', type: 'image', ...tAll('bio.picture') },
    {
      name: 'links',
      label: t('bio.links.label'),
      type: 'rows',
      hint: t('bio.links.hint'),
      texts: 'bio.links.rows',
      columns: [
        {
          name: 'title',
          label: t('bio.links.title'),
          example: t('bio.links.titleExample'),
          maxLength: 200,
        },
        {
          name: 'url',
          label: t('bio.links.url'),
          example: 'https://example.com/',
          maxLength: 8192,
        },
      ],
    },
    {
      name: 'theme',
      label: t('bio.theme'),
      type: 'choice',
      choices: BIO_THEMES.map((value) => ({ value, label: t(`bio.themes.${value}`) })),
    },
    { name: 'color', label: t('bio.color'), type: 'color', hint: t('bio.colorHint') },
  ]
}

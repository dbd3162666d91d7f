import type { FormFieldName } from '../../../links/fields.ts'

/** What the form says about a field. */
export type FieldText = {
  label: string
  hint?: string
  /** For a moment: its second input. */
  time?: { label: string; hint: string }
  /** For rows: the labels of their two inputs, examples, and the button for another row. */
  row?: {
    labels: readonly [name: string, value: string]
    examples: readonly [name: string, value: string]
    add: string
  }
}

/** Texts of the form of a link. */
export const editorMessages = {
  fields: {
    url: { label: 'Destination URL' },
    type: { label: 'Redirect type' },
    geoTargets: {
      label: 'Country',
      hint: 'Send visitors from a country to another URL.',
      row: {
        labels: ['Country', 'Destination URL for this country'],
        examples: ['Germany', 'https://example.com/de'],
        add: 'Add rule',
      },
    },
    deviceTargets: {
      label: 'Device',
      hint: 'The first match wins. Order: country, device, language.',
      row: {
        labels: ['Device', 'Destination URL for this device'],
        examples: ['', 'https://example.com/app'],
        add: 'Add rule',
      },
    },
    languageTargets: {
      label: 'Language',
      hint: 'For example French or en-GB.',
      row: {
        labels: ['Language', 'Destination URL for this language'],
        examples: ['French', 'https://example.com/fr'],
        add: 'Add rule',
      },
    },
    expiresAt: {
      label: 'Expires on',
      hint: 'In UTC. Leave blank to never expire.',
      time: { label: 'Time', hint: 'In UTC. Defaults to the end of the day.' },
    },
    metaTitle: { label: 'Title' },
    metaDescription: { label: 'Description' },
    metaImage: { label: 'Image URL', hint: 'JPEG or PNG, 1200 × 630 recommended.' },
    parameters: {
      label: 'Parameters',
      hint: 'Added to the destination URL.',
      row: {
        labels: ['Parameter', 'Value'],
        examples: ['utm_source', 'newsletter'],
        add: 'Add parameter',
      },
    },
  } satisfies Record<FormFieldName, FieldText>,
} as const

/** Returns the texts of a field. */
export function fieldText(name: string): FieldText {
  const texts: Readonly<Record<string, FieldText>> = editorMessages.fields
  return texts[name] ?? { label: name }
}

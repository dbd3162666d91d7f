import { Type } from '@sinclair/typebox'
import type { Overlays } from '../db/tables.generated.ts'
import { checkAll, invalid } from '../errors.ts'
import { createTextSchema } from '../links/field-kinds.ts'
import { requireText } from '../text.ts'
import { t, tAll } from '../texts.ts'
import type { EntryOf } from './definition.ts'
import {
  choiceField,
  destinationField,
  optionalTextField,
  privateName,
  textField,
  urlField,
} from './field.ts'
import { defineResource, merge, readFields } from './resource.ts'

/** A card that visitors of a link see on top of its destination. */
export type Overlay = EntryOf<typeof overlays>

type OverlayType = Overlays['type']

const TYPES: readonly OverlayType[] = ['contact', 'poll', 'message', 'newsletter', 'image']
const YES_OR_NO = ['Yes', 'No']
const MIN_OPTIONS = 2
const MAX_OPTIONS = 20

const typeSchema = Type.String({ description: TYPES.join(', '), maxLength: 20 })

const fields = {
  type: {
    ...choiceField({
      choices: TYPES,
      label: 'overlay.type',
      nameOf: (type) => t(`overlay.types.${type}`),
    }),
    schema: typeSchema,
    reply: typeSchema,
  },
  name: privateName,
  text: {
    ...textField({
      max: 5000,
      description: 'The text; its first line is the heading.',
      label: 'overlay.text',
      type: 'multiline',
      hint: 'overlay.textHint',
    }),
    // Browsers submit text areas with CRLF line breaks.
    enter: (text: string) => text.replaceAll('\r\n', '\n'),
  },
  button: optionalTextField({
    max: 100,
    description: 'The label of the button.',
    label: 'overlay.button',
  }),
  link: destinationField({
    description: 'The URL that the button or image links to.',
    label: 'overlay.link',
  }),
  image: urlField({ description: 'The URL of the image.', label: 'overlay.image' }),
  options: {
    schema: Type.Array(createTextSchema(200), {
      maxItems: 100,
      description: 'The 2 to 20 choices of a poll.',
    }),
    reply: Type.Array(Type.String()),
    isOptional: true,
    /** Only polls have options, so `readOptions` validates them. */
    read: (options: readonly string[] | null) => [...(options ?? [])],
    present: (options: string[]) => options,
    input: { label: 'overlay.options', type: 'multiline', hint: 'overlay.optionsHint' },
    enter: (text: string) => {
      const lines = text.split(/[\r\n]/).map((line) => line.trim())
      const options = lines.filter((line) => line !== '')
      return options.length > 0 ? options : null
    },
  },
} as const

/** Overlays. Links whose overlay is deleted become direct links, and its responses are deleted. */
export const overlays = defineResource({
  table: 'overlays',
  part: 'overlay',
  fields,
  listed: ['type', 'name'],
  read(values, current) {
    const type = values.type ?? current?.type
    // If the type changes, the options of a poll are removed.
    const kept = current && { ...current, options: type === current.type ? current.options : null }
    const merged = merge(values, kept)
    const [columns, options] = checkAll(
      () => readFields(fields, merged),
      () => readOptions(merged.type, merged.options),
    )
    return { ...columns, options }
  },
  api: {
    listPath: '/overlay',
    path: '/overlay',
    collection: 'cta',
    tag: 'overlays and splash pages',
    noun: 'overlay',
    summaries: {
      list: 'List call-to-action overlays',
      get: 'Get an overlay',
      create: 'Create an overlay',
      update: 'Update an overlay',
      remove: 'Delete an overlay and its answers',
    },
    create: {
      example: {
        type: 'poll',
        name: 'Drinks',
        text: 'Tea or coffee?',
        options: ['Tea', 'Coffee'],
      },
    },
    update: {
      description: 'Absent or null fields keep their values; "" clears a field.',
      example: { name: 'Hot drinks' },
    },
    entry: ['id', 'type', 'name', 'date'],
    details: ['id', 'type', 'name', 'date', 'text', 'button', 'link', 'image', 'options'],
  },
  pages: {
    section: '/console/overlays',
    words: () => tAll('overlay.words'),
    title: 'name',
    columns: ['type', 'createdAt'],
  },
})

function readOptions(
  type: string | null | undefined,
  options: readonly string[] | null | undefined,
): string[] {
  if (type !== 'poll') {
    if (options && options.length > 0) throw invalid('options', 'poll_only')
    return []
  }
  const validOptions = (options ?? YES_OR_NO).map((option) => requireText('options', option, 200))
  if (validOptions.length < MIN_OPTIONS || validOptions.length > MAX_OPTIONS) {
    throw invalid('options', 'at_most_lines', { min: MIN_OPTIONS, max: MAX_OPTIONS })
  }
  if (new Set(validOptions).size < validOptions.length) throw invalid('options', 'different_each')
  return validOptions
}

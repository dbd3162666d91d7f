import { findText } from '../../../texts.ts'

/** The texts of a field in the form. */
export type FieldText = {
  label: string
  hint?: string
  /** For a time: its second input. */
  time?: { label: string; hint: string }
  /** For rows: the labels of their inputs, examples, and the button that adds a row. */
  row?: {
    labels: { name: string; value: string }
    examples: { name: string; value: string }
    add: string
  }
}

/** Returns the texts of a field. */
export function getFieldText(name: string): FieldText {
  const find = (part: string) => findText(`linkFields.${name}`, part)
  const text = (part: string) => find(part) ?? ''
  const hint = find('hint')
  return {
    label: find('label') ?? name,
    ...(hint !== undefined && { hint }),
    ...(find('time.label') !== undefined && {
      time: { label: text('time.label'), hint: text('time.hint') },
    }),
    ...(find('row.add') !== undefined && {
      row: {
        labels: { name: text('row.labels.name'), value: text('row.labels.value') },
        examples: { name: text('row.examples.name'), value: text('row.examples.value') },
        add: text('row.add'),
      },
    }),
  }
}

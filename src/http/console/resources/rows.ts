import type { RowsField } from './rows-field.ts'

type Body = Readonly<Record<string, unknown>>

/** The rows of a list in a form. Each row has one text per column. */
export type RowList = readonly (readonly string[])[]

/** Returns the rows of a list in a submitted form, without empty rows. */
export function readRows(body: Body, { name, columns }: RowsField): RowList {
  const textsByColumn = columns.map((column) => listTexts(body[`${name}-${column.name}`]))
  const length = Math.max(0, ...textsByColumn.map((texts) => texts.length))
  const rows = Array.from({ length }, (_, index) =>
    textsByColumn.map((texts) => texts[index] ?? ''),
  )
  return rows.filter((row) => row.some((text) => text !== ''))
}

/** A requested change of a list, such as `links up 2`, which moves the row with index 2 up. */
export type Arrangement = { name: string; move: 'up' | 'down' | 'remove' | 'add'; index: number }

/** Returns the change that the pressed button requests, or undefined for other buttons. */
export function readArrangement({ arrange }: Body): Arrangement | undefined {
  const parts = /^(\w+) (up|down|remove|add) (\d{1,4})$/.exec(String(arrange ?? ''))
  if (!parts) return undefined
  const [, name = '', move, index] = parts
  return { name, move: move as Arrangement['move'], index: Number(index) }
}

/**
 * Returns the rows after a move or removal. Adding changes nothing, because forms always end with an
 * empty row. An index without a row changes nothing either.
 */
export function arrangeRows(rows: RowList, { move, index }: Arrangement): RowList {
  const row = rows[index]
  if (!row || move === 'add') return rows
  const otherRows = rows.toSpliced(index, 1)
  if (move === 'remove') return otherRows
  const newIndex = move === 'up' ? index - 1 : index + 1
  return otherRows.toSpliced(Math.max(0, newIndex), 0, row)
}

/** Returns the texts of a repeated form field, each as a single line. */
function listTexts(value: unknown): string[] {
  const values = Array.isArray(value) ? value : [value]
  return values
    .filter((each) => typeof each === 'string')
    .map((text) => text.replace(/[\t\r\n]+/g, ' ').trim())
}

import type { RowsField } from './rows-field.ts'

type Body = Readonly<Record<string, unknown>>

/** The rows of a list in a form. Each row has one text per column. */
export type RowList = readonly (readonly string[])[]

/** Returns the rows of a list in a submitted form, without empty rows. */
export function readRows(body: Body, { name, columns }: RowsField): RowList {
  const given = columns.map((column) => listTexts(body[`${name}-${column.name}`]))
  const length = Math.max(0, ...given.map((texts) => texts.length))
  const rows = Array.from({ length }, (_, index) => given.map((texts) => texts[index] ?? ''))
  return rows.filter((row) => row.some((text) => text !== ''))
}

/** A requested change of a list: `links up 2` moves row 2 up. */
export type Arrangement = { name: string; move: 'up' | 'down' | 'remove' | 'add'; index: number }

/** Returns the change that the pressed button requests, or undefined for other buttons. */
export function readArrangement({ arrange }: Body): Arrangement | undefined {
  const parts = /^(\w+) (up|down|remove|add) (\d{1,4})$/.exec(String(arrange ?? ''))
  if (!parts) return undefined
  const [, name = '', move, index] = parts
  return { name, move: move as Arrangement['move'], index: Number(index) }
}

/** Returns the changed rows. An index without a row changes nothing. */
export function arrangeRows(rows: RowList, { move, index }: Arrangement): RowList {
  const row = rows[index]
  if (!row || move === 'add') return rows
  const others = rows.toSpliced(index, 1)
  if (move === 'remove') return others
  return others.toSpliced(Math.max(0, index + (move === 'up' ? -1 : 1)), 0, row)
}

/** Returns the values of a form field as single lines. */
function listTexts(value: unknown): string[] {
  const all = Array.isArray(value) ? value : [value]
  return all
    .filter((each) => typeof each === 'string')
    .map((text) => text.replace(/[\t\r\n]+/g, ' ').trim())
}

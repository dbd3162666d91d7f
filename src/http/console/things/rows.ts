import type { RowsField } from './rows-field.ts'
import { readTable, writeTable } from './table-text.ts'

type Body = Readonly<Record<string, unknown>>

/** What a form says in the rows of a list; those of which nothing was filled in are left out. */
export function rowsIn(body: Body, { name, columns }: RowsField): string {
  const given = columns.map((column) => textsOf(body[`${name}-${column.name}`]))
  const length = Math.max(0, ...given.map((texts) => texts.length))
  const rows = Array.from({ length }, (_, index) => given.map((texts) => texts[index] ?? ''))
  return writeTable(rows.filter((row) => row.some((text) => text.trim() !== '')))
}

/** What a form asked to be done with the rows of a list: `links up 2`, the third one place further up. */
export type Arrangement = { name: string; move: 'up' | 'down' | 'remove' | 'add'; index: number }

/** What the button says by which the form was sent, where it was one of a list. */
export function readArrangement({ arrange }: Body): Arrangement | undefined {
  const parts = /^(\w+) (up|down|remove|add) (\d{1,4})$/.exec(String(arrange ?? ''))
  if (!parts) return undefined
  const [, name = '', move, index] = parts
  return { name, move: move as Arrangement['move'], index: Number(index) }
}

/** The rows after an arrangement; one of a row that there is not changes nothing. */
export function arrangeRows(text: string, { move, index }: Arrangement): string {
  const rows = readTable(text)
  const row = rows[index]
  if (!row || move === 'add') return text
  const others = rows.toSpliced(index, 1)
  if (move === 'remove') return writeTable(others)
  return writeTable(others.toSpliced(Math.max(0, index + (move === 'up' ? -1 : 1)), 0, row))
}

/** What a form says once or several times under one name. */
function textsOf(value: unknown): string[] {
  const all = Array.isArray(value) ? value : [value]
  return all.filter((each) => typeof each === 'string')
}

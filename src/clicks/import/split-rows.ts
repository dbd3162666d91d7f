import { filterByteaArray } from '../../db/pg-binary.ts'

/** A column of rows: numbers, or a PostgreSQL array of byte strings. */
type Column = Float64Array | Uint32Array | Buffer

/** Splits rows into new ones and those that are stored. `isStored` is 1 for the latter. */
export function splitRows<Rows extends { isStored: Uint8Array }>(rows: Rows) {
  return { fresh: filterRows(rows, 0), stored: filterRows(rows, 1) }
}

function filterRows<Rows extends { isStored: Uint8Array }>(
  { isStored, ...columns }: Rows,
  value: 0 | 1,
): Omit<Rows, 'isStored'> {
  if (!isStored.includes(1 - value)) return columns
  const isIncluded = (index: number) => isStored[index] === value
  const entries = Object.entries(columns as Record<string, Column>).map(([name, column]) => [
    name,
    Buffer.isBuffer(column)
      ? filterByteaArray(column, isIncluded)
      : column.filter((_, index) => isIncluded(index)),
  ])
  return Object.fromEntries(entries)
}

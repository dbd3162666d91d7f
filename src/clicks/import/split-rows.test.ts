import { expect, test } from 'vitest'
import { byteaArray } from '../../db/pg-binary.ts'
import { splitRows } from './days.queries.ts'

test('columns of numbers and of byte strings are split into new and stored rows', () => {
  const values = ['one', '', 'three', 'four'].map((text) => Buffer.from(text))
  const selectValues = (...rows: number[]) => byteaArray(rows.map((row) => values[row] as Buffer))
  const links = Float64Array.of(1, 2, 3, 4)
  const labels = selectValues(0, 1, 2, 3)

  expect(splitRows({ links, labels, isStored: Uint8Array.of(0, 1, 1, 0) })).toEqual({
    fresh: { links: Float64Array.of(1, 4), labels: selectValues(0, 3) },
    stored: { links: Float64Array.of(2, 3), labels: selectValues(1, 2) },
  })
  expect(splitRows({ links, labels, isStored: new Uint8Array(4) })).toMatchObject({
    fresh: { links, labels },
    stored: { links: new Float64Array(0) },
  })
})

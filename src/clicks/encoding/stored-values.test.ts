import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { firstIndex, splitJoinedRows } from './stored-values.ts'

const bytes = fc.uint8Array({ maxLength: 5 }).map((value) => Buffer.from(value))
const rows = fc.uniqueArray(
  fc.record({
    link: fc.constantFrom(1, 2, 77, 2 ** 40),
    number: fc.integer({ min: 0, max: 3 }),
    first: bytes,
    second: bytes,
  }),
  { selector: ({ link, number }) => `${link} ${number}` },
)

describe('joined rows', () => {
  test('are split in any order, skipping unrequested rows', () => {
    fc.assert(
      fc.property(rows, fc.func(fc.boolean()), (list, isRequested) => {
        const matching = list.filter(({ link, number }) => isRequested(link, number))
        const heads = list.map(({ link, number, first, second }) =>
          packNumbers([link, first.length, second.length, number]),
        )
        const { values, numbers } = splitJoinedRows(
          Buffer.concat(heads),
          [
            Buffer.concat(list.map(({ first }) => first)),
            Buffer.concat(list.map(({ second }) => second)),
          ],
          matching.length + 1,
          (link, number) => matching.findIndex((row) => row.link === link && row.number === number),
        )
        const splitRows = [...matching.keys(), matching.length].map((index) => ({
          number: numbers[index],
          values: values.map(({ bytes: all, starts, ends }) =>
            all.subarray(starts[index], ends[index]).toString('hex'),
          ),
        }))
        expect(splitRows).toEqual([
          ...matching.map(({ number, first, second }) => ({
            number,
            values: [first.toString('hex'), second.toString('hex')],
          })),
          { number: 0, values: ['', ''] },
        ])
      }),
    )
  })
})

test('firstIndex returns the index of the first of equal values', () => {
  const links = Float64Array.of(1, 1, 5, 2 ** 40, 2 ** 40, 2 ** 40)
  expect([1, 5, 2 ** 40].map((link) => firstIndex(links, link))).toEqual([0, 2, 3])
})

/** Returns the bytes of the numbers as 64-bit integers, as in the header of a joined row. */
function packNumbers(numbers: readonly number[]): Buffer {
  const buffer = Buffer.alloc(8 * numbers.length)
  for (const [index, number] of numbers.entries()) buffer.writeBigInt64BE(BigInt(number), 8 * index)
  return buffer
}

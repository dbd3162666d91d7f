import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyCharacter } from '../../../test/support/any-character.ts'
import { decodeBase64Text } from './grammar.ts'

const anyText = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 60 }).filter((value) => {
  return value.isWellFormed()
})

describe('decodeBase64Text', () => {
  test('reads both alphabets, with and without padding', () => {
    fc.assert(
      fc.property(anyText, (value) => {
        const bytes = Buffer.from(value, 'utf8')
        const standard = bytes.toString('base64')
        const urlSafe = bytes.toString('base64url')
        const padding = standard.match(/=*$/)?.[0] ?? ''
        for (const encoding of [
          standard,
          standard.replace(/=+$/, ''),
          urlSafe + padding,
          urlSafe,
        ]) {
          expect(decodeBase64Text(encoding)).toBe(value)
        }
      }),
      { numRuns: 1000 },
    )
  })

  test('keeps a byte order mark', () => {
    expect(decodeBase64Text('77u/YQ==')).toBe('\uFEFFa')
  })

  test.each([
    ['an empty value', ''],
    ['padding alone', '=='],
    ['one extra digit', 'YWJjZ'],
    ['too little padding', 'YQ='],
    ['too much padding', 'YWI=='],
    ['unexpected padding', 'YWJj=='],
    ['three padding signs', 'Y==='],
    ['padding in the middle', 'YQ==YQ=='],
    ['both alphabets in one value', 'fn5+Pz8_'],
    ['unused bits that are set', 'YR=='],
    ['unused bits that are set, without padding', 'YWJ'],
    ['a space instead of a plus', 'fn5 '],
    ['a line break', 'YWJj\nYWJj'],
    ['a line break at the end', 'YWJj\n'],
    ['a character in neither alphabet', 'YWJj.'],
    ['a letter outside ASCII', 'YWJé'],
    ['a byte that never occurs in UTF-8', '/w=='],
    ['a truncated UTF-8 sequence', '4oI='],
    ['an overlong UTF-8 sequence', 'wIA='],
    ['an encoded surrogate', '7aCA'],
  ])('rejects %s', (_, value) => {
    expect(decodeBase64Text(value)).toBeUndefined()
  })
})

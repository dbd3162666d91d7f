import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyCharacter } from '../../../test/support/any-character.ts'
import { toLabelText } from './label-text.ts'

test('a label is trimmed, limited in length, and free of text that PostgreSQL rejects', () => {
  const text = fc.string({ unit: anyCharacter, maxLength: 300 })
  fc.assert(
    fc.property(text, fc.nat(260), (suffix, times) => {
      const label = toLabelText(`${'x'.repeat(times)}${suffix}`)
      expect(label.length).toBeLessThanOrEqual(253)
      expect(label.isWellFormed() && !label.includes('\0')).toBe(true)
      expect(label.trim()).toBe(label)
      expect(toLabelText(label)).toBe(label)
    }),
  )
})

test.each([
  ['a.example', 'a.example'],
  [' a b ', 'a b'],
  ['\0', 'Unknown'],
  [`${'x'.repeat(252)}😀`, `${'x'.repeat(252)}\ufffd`],
  [`${'x'.repeat(252)} y`, 'x'.repeat(252)],
  ['x'.repeat(500), 'x'.repeat(253)],
])('the text %j becomes the label %j', (text, label) => {
  expect(toLabelText(text)).toBe(label)
})

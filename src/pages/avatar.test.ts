import fc from 'fast-check'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { expect, test } from 'vitest'
import { avatar, avatarColor } from './avatar.ts'

const readText = (svg: string) =>
  String(new XMLParser({ parseTagValue: false }).parse(svg).svg.text)

test.each([
  ['ada', 'A'],
  ['ada.lovelace', 'AL'],
  ['ada_b-c', 'AB'],
  ['éva szabó', 'ÉS'],
  ['李 明', '李明'],
  ['42', '4'],
  ['', '?'],
  ['<>&', '?'],
])('the avatar shows the initials of %j', (name, initials) => {
  expect(readText(avatar(name))).toBe(initials)
})

test('the avatar of a name always has the same color', () => {
  expect(avatarColor('ada')).toBe(avatarColor('ada'))
  expect(avatarColor('ada')).not.toBe(avatarColor('bob'))
})

test('the avatar of every name is well-formed XML', () => {
  const units = fc.array(fc.nat(0xffff), { maxLength: 12 })
  fc.assert(
    fc.property(units, (codes) => {
      const name = String.fromCharCode(...codes)
      expect(XMLValidator.validate(avatar(name))).toBe(true)
      expect(avatar(name)).not.toMatch(/[\p{Cc}\p{Cs}]/u)
    }),
  )
})

test('white text has sufficient contrast on every color of avatars', () => {
  fc.assert(
    fc.property(fc.string(), (name) => {
      const [hue = 0, saturation = 0, lightness = 0] = (avatarColor(name).match(/\d+/g) ?? []).map(
        Number,
      )
      expect(
        1.05 / (computeLuminance(hue, saturation / 100, lightness / 100) + 0.05),
      ).toBeGreaterThan(4.5)
    }),
    { numRuns: 1000 },
  )
})

/** Converts HSL to sRGB (CSS Color 4) and returns the relative luminance (WCAG 2.2). */
function computeLuminance(hue: number, saturation: number, lightness: number): number {
  const channel = (n: number) => {
    const k = (n + hue / 30) % 12
    const a = saturation * Math.min(lightness, 1 - lightness)
    const c = lightness - a * Math.max(-1, Math.min(k - 3, 9 - k, 1))
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * channel(0) + 0.7152 * channel(8) + 0.0722 * channel(4)
}

import { expect, test } from 'vitest'
import { style } from './style.ts'

const [light = '', dark = ''] = String(style).split('prefers-color-scheme: dark')

test.each([
  ['light', light],
  ['dark', dark],
])('text has a contrast of 4.5:1 and borders of 3:1 in the %s scheme', (_, sheet) => {
  const readColor = (name: string) => parseColor(sheet, name)
  for (const surface of ['paper', 'card', 'tint']) {
    for (const text of ['ink', 'soft', 'accent', 'accent-strong']) {
      expect(
        computeContrast(readColor(text), readColor(surface)),
        `${text} on ${surface}`,
      ).toBeGreaterThan(4.5)
    }
  }
  expect(computeContrast(readColor('alert'), readColor('card'))).toBeGreaterThan(4.5)
  expect(computeContrast(readColor('alert'), readColor('alert-tint'))).toBeGreaterThan(4.5)
  expect(computeContrast(readColor('on-accent'), readColor('accent'))).toBeGreaterThan(4.5)
  expect(computeContrast(readColor('on-accent'), readColor('accent-strong'))).toBeGreaterThan(4.5)
  expect(computeContrast(readColor('edge'), readColor('card'))).toBeGreaterThan(3)
})

test('the style sheet loads no resources', () => {
  expect(String(style)).not.toMatch(/url\(|@import/)
})

function parseColor(sheet: string, name: string): number[] {
  const hex = new RegExp(`--${name}: #([0-9a-f]+);`).exec(sheet)?.[1] ?? ''
  expect(hex, name).toMatch(/^(.{3}|.{6})$/)
  const sixDigits = hex.length === 3 ? hex.replace(/./g, '$&$&') : hex
  return [0, 2, 4].map((start) => Number.parseInt(sixDigits.slice(start, start + 2), 16) / 255)
}

/** Returns the contrast ratio of two colors (WCAG 2.2). */
function computeContrast(first: number[], second: number[]): number {
  const [low = 0, high = 0] = [computeLuminance(first), computeLuminance(second)].sort(
    (a, b) => a - b,
  )
  return (high + 0.05) / (low + 0.05)
}

/** Returns the relative luminance (WCAG 2.2). */
function computeLuminance(color: number[]): number {
  const [red = 0, green = 0, blue = 0] = color.map((value) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

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
        contrast(readColor(text), readColor(surface)),
        `${text} on ${surface}`,
      ).toBeGreaterThan(4.5)
    }
  }
  expect(contrast(readColor('alert'), readColor('card'))).toBeGreaterThan(4.5)
  expect(contrast(readColor('alert'), readColor('alert-tint'))).toBeGreaterThan(4.5)
  expect(contrast(readColor('on-accent'), readColor('accent'))).toBeGreaterThan(4.5)
  expect(contrast(readColor('on-accent'), readColor('accent-strong'))).toBeGreaterThan(4.5)
  expect(contrast(readColor('edge'), readColor('card'))).toBeGreaterThan(3)
})

test('the style sheet loads no resources', () => {
  expect(String(style)).not.toMatch(/url\(|@import/)
})

function parseColor(sheet: string, name: string): number[] {
  const hex = new RegExp(`--${name}: #([0-9a-f]+);`).exec(sheet)?.[1] ?? ''
  expect(hex, name).toMatch(/^(.{3}|.{6})$/)
  const full = hex.length === 3 ? hex.replace(/./g, '$&$&') : hex
  return [0, 2, 4].map((at) => Number.parseInt(full.slice(at, at + 2), 16) / 255)
}

/** Returns the contrast ratio (WCAG 2.2). */
function contrast(first: number[], second: number[]): number {
  const [low = 0, high = 0] = [luminance(first), luminance(second)].sort((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

function luminance(color: number[]): number {
  const [r = 0, g = 0, b = 0] = color.map((c) =>
    c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

import { expect, test } from 'vitest'
import { style } from './style.ts'

const [light = '', dark = ''] = String(style).split('prefers-color-scheme: dark')

test.each([
  ['light', light],
  ['dark', dark],
])('text has a contrast of 4.5:1 and borders of 3:1 in the %s scheme', (_, sheet) => {
  const value = (name: string) => colorOf(sheet, name)
  for (const surface of ['paper', 'card', 'tint']) {
    for (const text of ['ink', 'soft', 'accent', 'accent-strong']) {
      expect(contrast(value(text), value(surface)), `${text} on ${surface}`).toBeGreaterThan(4.5)
    }
  }
  expect(contrast(value('alert'), value('card'))).toBeGreaterThan(4.5)
  expect(contrast(value('alert'), value('alert-tint'))).toBeGreaterThan(4.5)
  expect(contrast(value('on-accent'), value('accent'))).toBeGreaterThan(4.5)
  expect(contrast(value('on-accent'), value('accent-strong'))).toBeGreaterThan(4.5)
  expect(contrast(value('edge'), value('card'))).toBeGreaterThan(3)
})

test('the style sheet loads no resources', () => {
  expect(String(style)).not.toMatch(/url\(|@import/)
})

function colorOf(sheet: string, name: string): number[] {
  const hex = new RegExp(`--${name}: #([0-9a-f]+);`).exec(sheet)?.[1] ?? ''
  expect(hex, name).toMatch(/^(.{3}|.{6})$/)
  const full = hex.length === 3 ? hex.replace(/./g, '$&$&') : hex
  return [0, 2, 4].map((at) => Number.parseInt(full.slice(at, at + 2), 16) / 255)
}

/** Returns the contrast ratio (WCAG 2.2). */
function contrast(one: number[], other: number[]): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

function luminance(color: number[]): number {
  const [r = 0, g = 0, b = 0] = color.map((c) =>
    c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

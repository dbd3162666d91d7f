import { expect, test } from 'vitest'
import { deriveThemeColors } from './accent-colors.ts'
import { themeStyle } from './bio-theme.ts'

test('text is readable on every color', () => {
  const steps = [0, 51, 102, 119, 128, 153, 204, 255]
  const hex = (value: number) => value.toString(16).padStart(2, '0')
  for (const red of steps) {
    for (const green of steps) {
      for (const blue of steps) {
        const color = `#${hex(red)}${hex(green)}${hex(blue)}`
        const { background: back, strong, on } = deriveThemeColors(color)
        expect([color, contrast(back, on) >= 4.5, contrast(strong, on) >= 4.5]).toEqual([
          color,
          true,
          true,
        ])
      }
    }
  }
})

test('the default theme follows the visitor’s color scheme, the others do not', () => {
  expect(themeStyle('auto', '')).toBeNull()
  expect(String(themeStyle('light', ''))).toContain('color-scheme: light;')
  expect(String(themeStyle('dark', ''))).toContain('color-scheme: dark;')
  expect(String(themeStyle('color', '#ffee00'))).toContain('--ink: #000000')
})

function contrast(first: string, second: string): number {
  const [dark = 0, light = 0] = [luminance(first), luminance(second)].toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

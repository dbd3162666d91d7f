import { expect, test } from 'vitest'
import { deriveThemeColors } from './accent-colors.ts'
import { themeStyle } from './bio.ts'

test('text is readable on every color', () => {
  const channelValues = [0, 51, 102, 119, 128, 153, 204, 255]
  const toHex = (value: number) => value.toString(16).padStart(2, '0')
  for (const red of channelValues) {
    for (const green of channelValues) {
      for (const blue of channelValues) {
        const color = `#${toHex(red)}${toHex(green)}${toHex(blue)}`
        const { background, strong, on } = deriveThemeColors(color)
        expect([
          color,
          computeContrast(background, on) >= 4.5,
          computeContrast(strong, on) >= 4.5,
        ]).toEqual([color, true, true])
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

/** Returns the contrast ratio (WCAG 2.2). */
function computeContrast(first: string, second: string): number {
  const [dark = 0, light = 0] = [computeLuminance(first), computeLuminance(second)].toSorted(
    (a, b) => a - b,
  )
  return (light + 0.05) / (dark + 0.05)
}

/** Returns the relative luminance (WCAG 2.2). */
function computeLuminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const value = Number.parseInt(color.slice(start, start + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

import { invalid } from '../../errors.ts'

/** Red, green and blue in sRGB, 0 to 255 each. */
export type Rgb = readonly [red: number, green: number, blue: number]

const black: Rgb = [0, 0, 0]
const white: Rgb = [255, 255, 255]

/** The minimum contrast ratio for people: the value of WCAG 2.2 (1.4.11) for graphics. */
const minContrast = 3

/**
 * Limits for readers. They compute brightness as the weighted sum of the channels, 0 to 255. Their
 * threshold between dark and light is half the brightness of an even background, and they treat
 * differences up to about 25 as noise. In a test with two readers and 500 random pairs of colors
 * with a contrast of 3 to 5, they read every code within these limits and missed some outside.
 */
const maxBrightnessRatio = 0.5
const minBrightnessDifference = 40

/**
 * Parses the colors of a code, which are black on white by default. Throws `invalid_input` naming
 * `foreground` or `background` if a color is not `rgb(R,G,B)` or if the colors are too similar.
 * Also throws if the code is lighter than its background, because many readers do not recognize
 * such codes.
 */
export function checkColors(
  foreground: string | undefined,
  background: string | undefined,
): { foreground: Rgb; background: Rgb } {
  const dark = foreground === undefined ? black : parseRgb('foreground', foreground)
  const light = background === undefined ? white : parseRgb('background', background)
  // The error names the color that the client sent. If the client sent both, it names the
  // foreground.
  const field = foreground === undefined ? 'background' : 'foreground'
  const otherField = field === 'foreground' ? 'background' : 'foreground'

  if (computeLuminance(dark) > computeLuminance(light)) {
    const isForeground = field === 'foreground'
    throw invalid(field, isForeground ? 'darker_than_background' : 'lighter_than_foreground')
  }
  if (computeContrastRatio(dark, light) < minContrast || !isReadable(dark, light)) {
    throw invalid(field, 'low_contrast', { other: otherField })
  }
  return { foreground: dark, background: light }
}

/** Parses `rgb(R,G,B)` with optional spaces. Throws `invalid_input` naming the field. */
export function parseRgb(field: string, text: string): Rgb {
  const match = /^\s*rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)\s*$/i.exec(text)
  const [red, green, blue] = (match ?? []).slice(1).map(Number)
  if (red === undefined || green === undefined || blue === undefined) {
    throw invalid(field, 'color_rgb')
  }
  if (Math.max(red, green, blue) > 255) throw invalid(field, 'color_range')
  return [red, green, blue]
}

/** Formats a color as stored and drawn: `rgb(R,G,B)`. */
export function formatRgb(color: Rgb): string {
  return `rgb(${color.join(',')})`
}

/** Returns the contrast ratio of two colors, 1 (none) to 21 (WCAG 2.2). */
export function computeContrastRatio(first: Rgb, second: Rgb): number {
  const [darker, lighter] = [computeLuminance(first), computeLuminance(second)].toSorted(
    (a, b) => a - b,
  )
  return ((lighter ?? 0) + 0.05) / ((darker ?? 0) + 0.05)
}

/**
 * Returns whether readers can distinguish two colors. Some readers weight the channels by BT.709,
 * others by BT.601.
 */
function isReadable(dark: Rgb, light: Rgb): boolean {
  return [computeBt709, computeBt601].every((brightness) => {
    const high = brightness(light)
    const low = brightness(dark)
    return low <= high * maxBrightnessRatio && high - low >= minBrightnessDifference
  })
}

function computeBt709([red, green, blue]: Rgb): number {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function computeBt601([red, green, blue]: Rgb): number {
  return 0.299 * red + 0.587 * green + 0.114 * blue
}

/** Returns the relative luminance, 0 to 1 (WCAG 2.2). */
function computeLuminance(color: Rgb): number {
  return computeBt709([toLinear(color[0]), toLinear(color[1]), toLinear(color[2])])
}

function toLinear(channel: number): number {
  const value = channel / 255
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
}

/**
 * The accent colors of a theme, for links and buttons. `strong` is the accent while hovered, and
 * `on` is the color of text on the accent.
 */
type Accents = { accent: string; strong: string; on: string }
type Rgb = readonly [number, number, number]

const WHITE: Rgb = [255, 255, 255]
const BLACK: Rgb = [0, 0, 0]
/** The darkest surface of light pages, and the lightest surface of dark pages. See `style.ts`. */
const LIGHT_SURFACE: Rgb = [237, 244, 241]
const DARK_SURFACE: Rgb = [31, 42, 39]
/** The minimum contrast of text (WCAG 2.2, 1.4.3). */
const MIN_CONTRAST = 4.5

/** Returns shades of an accent color that are readable on the surfaces of both themes. */
export function deriveAccentColors(hex: string): { light: Accents; dark: Accents } {
  const color = parseHex(hex)
  return {
    light: deriveShades(color, LIGHT_SURFACE, BLACK),
    dark: deriveShades(color, DARK_SURFACE, WHITE),
  }
}

/**
 * Returns the colors of a page with a colored background. `on` is black or white, whichever is
 * easier to read. The contrast of `on` with `strong` is at least as high as with the background.
 */
export function deriveThemeColors(hex: string): {
  background: string
  strong: string
  on: string
  scheme: 'light' | 'dark'
} {
  const color = parseHex(hex)
  const isDark = contrast(color, WHITE) >= contrast(color, BLACK)
  const [on, opposite] = isDark ? [WHITE, BLACK] : [BLACK, WHITE]
  return {
    background: formatHex(color),
    strong: formatHex(mix(color, opposite, 0.25)),
    on: formatHex(on),
    scheme: isDark ? 'dark' : 'light',
  }
}

function deriveShades(color: Rgb, surface: Rgb, toward: Rgb): Accents {
  const accent = makeReadable(color, surface, toward)
  const on = contrast(accent, WHITE) >= contrast(accent, BLACK) ? WHITE : BLACK
  return {
    accent: formatHex(accent),
    strong: formatHex(mix(accent, toward, 0.2)),
    on: formatHex(on),
  }
}

/** Mixes a color with `toward` until it is readable on a surface. */
function makeReadable(color: Rgb, surface: Rgb, toward: Rgb): Rgb {
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = mix(color, toward, share)
    if (contrast(mixed, surface) >= MIN_CONTRAST) return mixed
  }
  return toward
}

function mix(color: Rgb, other: Rgb, share: number): Rgb {
  const [r, g, b] = color.map((channel, index) =>
    Math.round(channel * (1 - share) + (other[index] ?? 0) * share),
  )
  return [r ?? 0, g ?? 0, b ?? 0]
}

/** Returns the contrast ratio (WCAG 2.2). */
function contrast(first: Rgb, other: Rgb): number {
  const [dark = 0, light = 0] = [luminance(first), luminance(other)].toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** Returns the relative luminance (WCAG 2.2). */
function luminance(color: Rgb): number {
  const [r = 0, g = 0, b = 0] = color.map((channel) => {
    const value = channel / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function parseHex(hex: string): Rgb {
  const [r = 0, g = 0, b = 0] = (hex.slice(1).match(/../g) ?? []).map((pair) =>
    Number.parseInt(pair, 16),
  )
  return [r, g, b]
}

function formatHex(color: Rgb): string {
  return `#${color.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

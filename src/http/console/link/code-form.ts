import { AppError, invalid } from '../../../errors.ts'
import { checkColors } from '../../../qr/drawing/color.ts'
import { findText } from '../../../texts.ts'
import { describeLabeledError } from '../errors/labeled-error.ts'

const DEFAULTS = { foreground: '#000000', background: '#ffffff', size: '600' } as const
const MIN_SIZE = 100
const MAX_SIZE = 2000

export type CodeQuery = Readonly<Record<string, unknown>>

/** The style of a QR code as form values. Colors are `#rrggbb`. */
export type CodeStyleForm = { foreground: string; background: string; size: string }

/** Returns the style in a URL, with defaults. */
export function readStyle(query: CodeQuery): CodeStyleForm {
  const read = (name: keyof CodeStyleForm) => {
    const value = query[name]
    return typeof value === 'string' && value !== '' ? value : DEFAULTS[name]
  }
  return { foreground: read('foreground'), background: read('background'), size: read('size') }
}

/**
 * Parses the style for drawing.
 *
 * @throws AppError `invalid_input` naming `foreground`, `background` or `size`
 */
export function parseStyle({ foreground, background, size }: CodeStyleForm) {
  const colors = {
    foreground: toRgb('foreground', foreground),
    background: toRgb('background', background),
  }
  checkColors(colors.foreground, colors.background)
  const pixels = /^\d{3,4}$/.test(size) ? Number(size) : 0
  if (pixels < MIN_SIZE || pixels > MAX_SIZE) {
    throw invalid('size', 'whole_number_range', { min: MIN_SIZE, max: MAX_SIZE })
  }
  return { colors, size: pixels }
}

/** Returns the error of a style, or undefined. */
export function validateStyle(style: CodeStyleForm): string | undefined {
  try {
    parseStyle(style)
    return undefined
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return describeLabeledError(error, (field) => findText('code.ofLink', field))
  }
}

/** Returns a style as URL parameters, without defaults. */
export function listStyleParameters(style: CodeStyleForm): [string, string][] {
  const names = ['foreground', 'background', 'size'] as const
  return names
    .filter((name) => style[name] !== DEFAULTS[name])
    .map((name): [string, string] => [name, style[name]])
}

/**
 * Converts `#rrggbb` to the stored form.
 *
 * @throws AppError `invalid_input` naming the field
 */
export function toRgb(field: string, color: string): string {
  const digits = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(color)?.slice(1)
  if (!digits) throw invalid(field, 'color_hex')
  return `rgb(${digits.map((pair) => Number.parseInt(pair, 16)).join(',')})`
}

/** Converts a stored color to `#rrggbb`. */
export function toHex(color: string): string {
  const channels = color.match(/\d+/g) ?? []
  return `#${channels.map((each) => Number(each).toString(16).padStart(2, '0')).join('')}`
}

import { correction, generate, mode } from 'lean-qr'
import { invalid } from '../../errors.ts'
import type { Rgb } from './color.ts'

/** The modules of a code, row by row, without the quiet zone. Dark modules are `true`. */
export type Matrix = readonly (readonly boolean[])[]

/** The share of a code that may be unreadable: 15% for `medium`, 30% for `high`. */
export type Ecc = 'medium' | 'high'

/**
 * Encodes a payload into the smallest code in which it fits. A payload that is not ASCII declares
 * that it is UTF-8, because readers would otherwise guess its charset. `high` is for codes with a logo and is never lowered. `medium`
 * is lowered to `low` (7%) if the payload would not fit otherwise; an undamaged code is then
 * equally readable. Throws `invalid_input` if the payload does not fit.
 */
export function createQrMatrix(payload: string, { ecc }: { ecc: Ecc }): Matrix {
  if (ecc === 'high') {
    const matrix = encode(payload, 'high')
    if (matrix === undefined) throw invalid('data', 'qr_too_long_with_logo')
    return matrix
  }
  const matrix = encode(payload, 'medium') ?? encode(payload, 'low')
  if (matrix === undefined) throw invalid('data', 'qr_too_long')
  return matrix
}

/** The library's error code for content that fits no code. */
const TOO_LONG = 4

const LEVELS = { low: correction.L, medium: correction.M, high: correction.H }

/** The number that declares UTF-8 (AIM's Extended Channel Interpretations). */
const UTF8 = 26

const ASCII_MODES = [mode.numeric, mode.alphaNumeric, mode.ascii]

function encode(payload: string, ecc: Ecc | 'low'): Matrix | undefined {
  const level = LEVELS[ecc]
  // One segment for everything, because some readers apply the declaration only to the next one.
  const content = /^[\0-\x7f]*$/.test(payload)
    ? mode.auto(payload, { modes: ASCII_MODES })
    : mode.multi(mode.eci(UTF8), mode.bytes(Buffer.from(payload)))
  try {
    const bitmap = generate(content, { minCorrectionLevel: level, maxCorrectionLevel: level })
    const modules = Array.from({ length: bitmap.size }, (_, index) => index)
    return modules.map((y) => modules.map((x) => bitmap.get(x, y)))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === TOO_LONG) return undefined
    throw error
  }
}

/** Everything needed to draw a code. */
export type CodeImage = {
  matrix: Matrix
  foreground: Rgb
  background: Rgb
  /** Width and height in pixels. */
  size: number
  /**
   * A PNG from `normalizeLogo`. If it is set, the matrix must have been encoded with `ecc: 'high'`.
   */
  logo?: Buffer | undefined
}

/** The number of light modules around a code (ISO/IEC 18004, 5.3.8). */
export const quietZone = 4

/**
 * The minimum number of pixels per module. With one pixel, some readers fail even with a perfect
 * image. With two, all succeed.
 */
const minScale = 2

/**
 * Returns how a code is placed in its image: the `size` in pixels, the `scale` in whole pixels per
 * module, and the `margin` in pixels around the dark modules. If the code does not fit into the
 * requested size, uses the smallest readable size (370 pixels for the largest code).
 */
export function layOut(matrix: Matrix, size: number) {
  const modules = matrix.length + 2 * quietZone
  const pixelSize = Math.max(size, modules * minScale)
  const fittingScale = Math.floor(pixelSize / modules)
  // Readers based on ZXing process blocks of 8 by 8 pixels. If modules filled entire blocks, these
  // readers would see no edges except those of the logo, and a white logo on a tinted background
  // would hide the code.
  const scale = fittingScale % 8 === 0 ? fittingScale - 1 : fittingScale
  return { size: pixelSize, scale, margin: Math.floor((pixelSize - matrix.length * scale) / 2) }
}

/**
 * Returns the light box in the center that contains a logo: its first module and its side length,
 * and the same of the logo in it.
 * It is at most a quarter of the code's width. It therefore covers 6% of the modules, while `high`
 * corrects 30%, and it never touches the finder patterns or format bits. The logo keeps a distance
 * of half a module from its edge.
 */
export function getLogoBox(matrix: Matrix) {
  const quarter = Math.floor(matrix.length / 4)
  // The width of a code is odd, so an odd box is aligned with the modules.
  const side = quarter % 2 === 1 ? quarter : quarter - 1
  const start = (matrix.length - side) / 2
  return { start, side, logoStart: start + 0.5, logoSide: side - 1 }
}

/** Returns the matrix without the modules in the logo's box. */
export function clearLogoBox(matrix: Matrix): Matrix {
  const { start, side } = getLogoBox(matrix)
  const isInBox = (at: number) => at >= start && at < start + side
  return matrix.map((row, y) => (isInBox(y) ? row.map((dark, x) => dark && !isInBox(x)) : row))
}

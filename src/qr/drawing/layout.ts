import type { Rgb } from './color.ts'
import type { Matrix } from './matrix.ts'

/** All that a picture of a code is made of. */
export type CodeImage = {
  matrix: Matrix
  foreground: Rgb
  background: Rgb
  /** Width and height in pixels. */
  size: number
  /** A PNG as `normalizeLogo` makes it. The matrix must have been encoded with `ecc: 'high'`. */
  logo?: Buffer | undefined
}

/** Light modules around a code (ISO/IEC 18004, 5.3.8). */
export const quietZone = 4

/** With one pixel a module some readers find nothing, even in a perfect picture; with two all do. */
const leastScale = 2

/**
 * Where a code lies in its picture: `size` as asked for, `scale` whole pixels for a module, and the
 * `margin` in pixels around the dark modules. A code that is too large for the size asked for gets
 * the least size in which it can be read (370 pixels for the largest there is).
 */
export function layOut(matrix: Matrix, size: number) {
  const modules = matrix.length + 2 * quietZone
  const grown = Math.max(size, modules * leastScale)
  const fitting = Math.floor(grown / modules)
  // Readers based on ZXing look at blocks of 8 by 8 pixels. Modules that fill whole blocks show them
  // no edge but those of the logo, and a white logo on a tinted ground then hides the code.
  const scale = fitting % 8 === 0 ? fitting - 1 : fitting
  return { size: grown, scale, margin: Math.floor((grown - matrix.length * scale) / 2) }
}

/**
 * The light box in the middle that holds a logo: first module and number of modules on each side.
 * It is at most a quarter of the code's width, so it hides 6 % of the modules, of which `high`
 * corrects 30 %, and never touches the finder patterns or the format bits. The logo keeps half a
 * module from its edge.
 */
export function logoBox(matrix: Matrix) {
  const quarter = Math.floor(matrix.length / 4)
  // A code's width is odd; an odd box lies on whole modules.
  const side = quarter % 2 === 1 ? quarter : quarter - 1
  return { start: (matrix.length - side) / 2, side, logoSide: side - 1 }
}

/** The matrix with the box for the logo left light. */
export function clearLogoBox(matrix: Matrix): Matrix {
  const { start, side } = logoBox(matrix)
  const inBox = (at: number) => at >= start && at < start + side
  return matrix.map((row, y) => (inBox(y) ? row.map((dark, x) => dark && !inBox(x)) : row))
}

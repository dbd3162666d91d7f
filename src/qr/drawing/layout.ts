import type { Rgb } from './color.ts'
import type { Matrix } from './matrix.ts'

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

/** What a picture's own header says, before anything is decoded. */
export type PictureHeader = {
  width: number
  height: number
  /** Bytes that must be in memory at once where a decoder has to hold the whole picture; else 0. */
  heldBytes: number
  /** Bytes of one pixel once it is decoded. */
  pixelBytes: number
}

const mostPixels = 16_000_000

/** A decoder takes a few rows at once: 16 million pixels in one row were 2 GB. */
const longestSide = 8000
const mostInRow = 32_000

/** With these decoding takes 45 MB more than the process has anyway (measured, libvips 8.18). */
const mostDecoded = 64_000_000
const mostHeld = 24_000_000

/** What is wrong with a picture that takes too much to decode, in words that follow a field's name. */
export function tooLarge(header: PictureHeader): string | undefined {
  const { width, height, heldBytes, pixelBytes } = header
  if (width * height > mostPixels) return 'must have at most 16 million pixels'
  if (Math.max(width, height) > longestSide) return 'must have at most 8000 pixels on each side'
  if (width * pixelBytes > mostInRow || width * height * pixelBytes > mostDecoded) {
    return 'has too many pixels for 16 bits each'
  }
  return heldBytes > mostHeld
    ? 'has too many pixels for an interlaced or progressive picture'
    : undefined
}

/** The picture cannot be read, or not safely; `problem` follows the name of the field. */
export class PictureError extends Error {
  readonly problem: string

  constructor(problem = 'must be a png or jpg image that can be read') {
    super(problem)
    this.name = 'PictureError'
    this.problem = problem
  }
}

import { type AppError, invalid } from '../errors.ts'
import { loadSharp } from './load-sharp.ts'

/**
 * The maximum width and height of a stored logo in pixels. It is enough for a quarter of a code
 * with 1600 pixels.
 */
export const LOGO_SIDE = 400

const MAX_PIXELS = 16_000_000

const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const JPEG = Buffer.from([0xff, 0xd8, 0xff])

/** Returns whether a file starts like a PNG or a JPEG, which are the only supported formats. */
export function isSupportedImage(bytes: Buffer): boolean {
  return [PNG, JPEG].some((signature) => bytes.subarray(0, signature.length).equals(signature))
}

/**
 * Converts an uploaded image to a PNG: at most `side` by `side` pixels, upright, in sRGB, without
 * metadata. Malicious input can cause this to be slow, to use much memory or to crash, so only call
 * it in a process that may be killed.
 *
 * @throws AppError `invalid_input` naming `logo` for anything but a complete PNG or JPEG
 */
export async function normalizeLogo(bytes: Buffer, side = LOGO_SIDE): Promise<Buffer> {
  if (!isSupportedImage(bytes)) throw createNotImageError()
  const sharp = await loadSharp()
  try {
    const small = await sharp(bytes, { failOn: 'error', limitInputPixels: MAX_PIXELS })
      .resize(side, side, { fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb')
      .keepExif()
      .png()
      .toBuffer()
    // Rotates after resizing, because rotation needs the entire image in memory.
    return await sharp(small).autoOrient().png().toBuffer()
  } catch (error) {
    throw toRejection(error)
  }
}

/** Creates the error for anything but a PNG or JPEG. */
export function createNotImageError(): AppError {
  return invalid('logo', 'image')
}

function toRejection(error: unknown): AppError {
  const isTooLarge = error instanceof Error && error.message.includes('exceeds pixel limit')
  if (isTooLarge) return invalid('logo', 'image_pixels')
  return invalid('logo', 'image_readable')
}

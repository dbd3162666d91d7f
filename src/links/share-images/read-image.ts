import { AppError, invalid, withField } from '../../errors.ts'
import { loadSharp } from '../../qr/drawing/load-sharp.ts'
import type { LogoDecoder } from '../../qr/logo-process.ts'

/** The maximum size of an uploaded image. */
export const MAX_SHARE_IMAGE_BYTES = 2_097_152

/** Wide enough for the largest previews, which are 1200 by 630 pixels. */
const SIDE = 1200
const MAX_STORED_BYTES = 1_048_576

/**
 * Creates the function that converts an uploaded image to the JPEG that is stored, a format that
 * every preview service supports. The image is decoded in a separate process, like a logo.
 *
 * The function throws AppError `busy`, or `invalid_input` naming `metaImageFile`.
 */
export function createShareImageReader({ decoder }: { decoder: Pick<LogoDecoder, 'decode'> }) {
  return async function readShareImage(account: number, bytes: Buffer): Promise<Buffer> {
    if (bytes.length > MAX_SHARE_IMAGE_BYTES)
      throw invalid('metaImageFile', 'at_most_mib', { max: 2 })
    try {
      const png = await decoder.decode(account, bytes, SIDE)
      const sharp = await loadSharp()
      const image = await sharp(png, { limitInputPixels: SIDE * SIDE })
        .flatten({ background: '#ffffff' })
        .jpeg({ quality: 82 })
        .toBuffer()
      if (image.length <= MAX_STORED_BYTES) return image
    } catch (error) {
      const isAboutLogo = error instanceof AppError && error.field === 'logo'
      throw isAboutLogo ? withField(error, 'metaImageFile') : error
    }
    throw invalid('metaImageFile', 'image_too_detailed')
  }
}

import type { Sharp } from 'sharp'
import { invalid } from '../../errors.ts'
import { cleanJpeg, isJpeg } from './jpeg-segments.ts'
import { loadSharp } from './load-sharp.ts'
import { PictureError } from './logo-bounds.ts'
import { cleanPng, isPng } from './png-chunks.ts'

/** Width and height of a stored logo at most, enough for a quarter of a 1600 pixel code. */
export const logoSize = 400

/** Whether these bytes call themselves a PNG or a JPEG; no other format is read. */
export function isPicture(bytes: Buffer): boolean {
  return isPng(bytes) || isJpeg(bytes)
}

/**
 * Turns an uploaded picture into the PNG that is stored and drawn: at most 400 by 400 pixels,
 * upright, in sRGB, without metadata. Throws `invalid_input` naming `logo` for anything but a PNG
 * or JPEG picture that can be read to its end; what it is, its bytes say and not its name.
 *
 * The library sees nothing but the pixels: its readers of everything else are many, and a text of
 * 50 kB in a PNG unpacks to 50 MB. Decoding still takes up to 60 MB and seconds of a processor.
 */
export async function normalizeLogo(bytes: Buffer): Promise<Buffer> {
  if (!isPicture(bytes)) throw notAPicture()
  const sharp = await loadSharp()
  try {
    const { bytes: pixels, orientation } = isPng(bytes)
      ? { bytes: cleanPng(bytes), orientation: 1 }
      : cleanJpeg(bytes)
    const small = await shrink(sharp(pixels, { failOn: 'error' }), orientation)
    // Only what is small is turned: for that a picture has to be held as a whole.
    return orientation === 1 ? small : await sharp(small).autoOrient().png().toBuffer()
  } catch (error) {
    throw invalid('logo', (error instanceof PictureError ? error : new PictureError()).problem)
  }
}

/** The error of what is neither PNG nor JPEG. */
export function notAPicture() {
  return invalid('logo', 'must be a png or jpg image')
}

function shrink(picture: Sharp, orientation: number): Promise<Buffer> {
  const small = picture
    .resize(logoSize, logoSize, { fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .timeout({ seconds: 5 })
    .png()
  return (orientation === 1 ? small : small.withMetadata({ orientation })).toBuffer()
}

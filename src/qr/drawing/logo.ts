import { invalid } from '../../errors.ts'
import { loadSharp } from './load-sharp.ts'

/** Width and height of a stored logo at most, enough for a quarter of a 1600 pixel code. */
export const logoSize = 400

/** Decoded, this is 64 MB at most. */
const mostPixels = 16_000_000

/**
 * Turns an uploaded picture into the PNG that is stored and drawn: at most 400 by 400 pixels,
 * upright, in sRGB, without metadata. Throws `invalid_input` naming `logo` for anything but a PNG
 * or JPEG picture that can be read to its end; what it is, its bytes say and not its name.
 */
export async function normalizeLogo(bytes: Buffer): Promise<Buffer> {
  // Other formats never reach the library, whose readers of them are many and large.
  if (!isPng(bytes) && !isJpeg(bytes)) throw invalid('logo', 'must be a png or jpg image')
  const sharp = await loadSharp()
  const image = sharp(bytes, { limitInputPixels: mostPixels, failOn: 'error' })

  const { format, width, height } = await image.metadata().catch(unreadable)
  if (format !== 'png' && format !== 'jpeg') throw invalid('logo', 'must be a png or jpg image')
  if (width * height > mostPixels) throw invalid('logo', 'must have at most 16 million pixels')
  return image
    .autoOrient()
    .resize(logoSize, logoSize, { fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .timeout({ seconds: 5 })
    .png()
    .toBuffer()
    .catch(unreadable)
}

function isPng(bytes: Buffer): boolean {
  return bytes.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))
}

function isJpeg(bytes: Buffer): boolean {
  return bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))
}

function unreadable(): never {
  throw invalid('logo', 'must be a png or jpg image that can be read')
}

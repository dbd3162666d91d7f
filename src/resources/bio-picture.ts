import type { WebContext } from '../context.ts'
import { AppError, withField } from '../errors.ts'
import { loadSharp } from '../pictures/load-sharp.ts'

/** The width in pixels: twice the largest size on a page, for high-resolution displays. */
const SIDE = 256

/**
 * Converts an uploaded image to the square PNG that is stored. Decodes it in a separate process,
 * like a logo, so do not call it in a transaction.
 *
 * @throws AppError `invalid_input` naming `picture`, `busy`
 */
export async function readBioPicture(
  { readLogo }: Pick<WebContext, 'readLogo'>,
  accountId: number,
  file: Buffer,
): Promise<Buffer> {
  try {
    const png = await readLogo(accountId, file)
    const sharp = await loadSharp()
    return await sharp(png, { limitInputPixels: 1_000_000 })
      .resize({ width: SIDE, height: SIDE, fit: 'cover' })
      .png({ palette: true, effort: 5 })
      .toBuffer()
  } catch (error) {
    const isAboutLogo = error instanceof AppError && error.field === 'logo'
    throw isAboutLogo ? withField(error, 'picture') : error
  }
}

import jsqr from 'jsqr'
import sharp from 'sharp'

/** Returns the decoded content of a QR code's image, or undefined. */
export async function readCode(picture: Buffer): Promise<string | undefined> {
  const { data, info } = await sharp(picture)
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const pixels = new Uint8ClampedArray(data)
  const code = jsqr.default(pixels, info.width, info.height, { inversionAttempts: 'dontInvert' })
  return code?.data
}

import { loadSharp } from '../qr/drawing/load-sharp.ts'

/** The maximum size in pixels: twice the largest size on a page, for high-resolution displays. */
const MAX_SIZE = { width: 400, height: 144 }

/** Scales a PNG from the image decoder down to its display size. */
export async function shrinkLogo(png: Buffer): Promise<Buffer> {
  const sharp = await loadSharp()
  return sharp(png, { limitInputPixels: 1_000_000 })
    .resize({ ...MAX_SIZE, fit: 'inside', withoutEnlargement: true })
    .png({ palette: true, effort: 5 })
    .toBuffer()
}

import type { Rgb } from './color.ts'
import { type CodeImage, clearLogoBox, layOut, logoBox } from './layout.ts'
import { loadSharp } from './load-sharp.ts'
import type { Matrix } from './matrix.ts'

/**
 * Draws a code as a PNG. Modules are whole pixels, so their edges are sharp at any size; what is
 * left over goes to the margin.
 */
export async function renderPng(image: CodeImage): Promise<Buffer> {
  const { matrix, foreground, background, logo } = image
  const { size, scale, margin } = layOut(matrix, image.size)
  const sharp = await loadSharp()

  const shown = logo === undefined ? matrix : clearLogoBox(matrix)
  const width = matrix.length
  const rest = size - width * scale - margin
  const [r, g, b] = background
  const picture = sharp(paint(shown, foreground, background), {
    raw: { width, height: width, channels: 3 },
  })
    .resize(width * scale, width * scale, { kernel: 'nearest' })
    .extend({ top: margin, left: margin, bottom: rest, right: rest, background: { r, g, b } })
  // 300 pixels: 1.5 kB in 9 ms; a palette would be 0.5 kB in 40 ms, and 1.7 s at 2000 pixels.
  if (logo === undefined) return picture.png({ compressionLevel: 9 }).toBuffer()

  const { start, logoSide } = logoBox(matrix)
  const at = margin + Math.round((start + 0.5) * scale)
  const input = await fitLogo(logo, logoSide * scale)
  return picture
    .composite([{ input, left: at, top: at }])
    .removeAlpha()
    .png()
    .toBuffer()
}

/** One RGB pixel for each module. */
function paint(matrix: Matrix, foreground: Rgb, background: Rgb): Uint8Array {
  return Uint8Array.from(
    matrix.flatMap((row) => row.flatMap((dark) => (dark ? foreground : background))),
  )
}

async function fitLogo(logo: Buffer, side: number): Promise<Buffer> {
  const sharp = await loadSharp()
  return sharp(logo, { limitInputPixels: 400 * 400 })
    .resize(side, side, { fit: 'contain', background: { r: 0, g: 0, b: 0, alpha: 0 } })
    .png()
    .toBuffer()
}

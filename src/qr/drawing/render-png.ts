import type { Rgb } from './color.ts'
import { encodePng } from './encode-png.ts'
import { type CodeImage, clearLogoBox, layOut, logoBox } from './layout.ts'
import { loadSharp } from './load-sharp.ts'
import type { Matrix } from './matrix.ts'
import { cleanPng } from './png-chunks.ts'

/** Where the modules of a picture lie, in pixels. */
type Layout = ReturnType<typeof layOut>

/**
 * Draws a code as a PNG. Modules are whole pixels, so their edges are sharp at any size; what is
 * left over goes to the margin.
 */
export async function renderPng(image: CodeImage): Promise<Buffer> {
  const { matrix, foreground, background, logo } = image
  const layout = layOut(matrix, image.size)
  if (logo === undefined) {
    const rows = drawRows(matrix, layout, (row) => packBits(row, layout))
    return encodePng(rows, [background, foreground])
  }
  const { start, logoSide } = logoBox(matrix)
  const at = layout.margin + Math.round((start + 0.5) * layout.scale)
  const side = logoSide * layout.scale
  const rows = drawRows(clearLogoBox(matrix), layout, (row) =>
    Buffer.from(spread(row, layout).flatMap((dark) => (dark ? foreground : background))),
  )
  return encodePng(layOver(rows, await fitLogo(logo, side), { at, side, background }))
}

/** The rows of a picture from those of a code; all rows of a module are the same buffer. */
function drawRows(
  matrix: Matrix,
  { size, scale, margin }: Layout,
  draw: (row: readonly boolean[]) => Buffer,
): Buffer[] {
  const empty = draw(Array<boolean>(matrix.length).fill(false))
  const rows = Array<Buffer>(size).fill(empty)
  for (const [y, row] of matrix.entries()) {
    const from = margin + y * scale
    rows.fill(draw(row), from, from + scale)
  }
  return rows
}

/** One value for each pixel of a row. */
function spread(row: readonly boolean[], { size, scale, margin }: Layout): boolean[] {
  const pixels = Array<boolean>(size).fill(false)
  for (const [x, dark] of row.entries()) {
    if (dark) pixels.fill(true, margin + x * scale, margin + (x + 1) * scale)
  }
  return pixels
}

function packBits(row: readonly boolean[], layout: Layout): Buffer {
  const bytes = Buffer.alloc(Math.ceil(layout.size / 8))
  for (const [x, dark] of spread(row, layout).entries()) {
    if (dark) bytes[x >> 3] = (bytes[x >> 3] ?? 0) | (0x80 >> (x & 7))
  }
  return bytes
}

/** The rows with a logo, four bytes a pixel, laid over the light box in their middle. */
function layOver(
  rows: readonly Buffer[],
  logo: Buffer,
  { at, side, background }: { at: number; side: number; background: Rgb },
): Buffer[] {
  return rows.map((row, y) => {
    if (y < at || y >= at + side) return row
    const covered = Buffer.from(row)
    for (let x = 0; x < side; x += 1) {
      const from = 4 * ((y - at) * side + x)
      const alpha = (logo[from + 3] ?? 0) / 255
      for (const [channel, light] of background.entries()) {
        const color = (logo[from + channel] ?? 0) * alpha + light * (1 - alpha)
        covered[3 * (at + x) + channel] = Math.round(color)
      }
    }
    return covered
  })
}

async function fitLogo(logo: Buffer, side: number): Promise<Buffer> {
  const sharp = await loadSharp()
  return sharp(cleanPng(logo), { limitInputPixels: 400 * 400 })
    .resize(side, side, { fit: 'contain', background: { r: 0, g: 0, b: 0, alpha: 0 } })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer()
}

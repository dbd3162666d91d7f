import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'
import { loadSharp } from '../../pictures/load-sharp.ts'
import { LOGO_SIDE } from '../../pictures/logo.ts'
import type { Rgb } from './color.ts'
import { type CodeImage, clearLogoBox, getLogoBox, layOut, type Matrix } from './matrix.ts'

const compress = promisify(deflate)

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/** Row filters (PNG, third edition, 9.2): no filter, and the difference from the row above. */
const FILTER_NONE = 0

const FILTER_UP = 2

/** The layout of modules in an image, in pixels. */
type Layout = ReturnType<typeof layOut>

/** Scales a logo to a square of `side` pixels, with four bytes per pixel. */
export type ScaleLogo = (logo: Buffer, side: number) => Promise<Buffer>

/**
 * Renders a code as a PNG. Modules are whole pixels, so edges are sharp at any size. The remaining
 * pixels belong to the margin. Many sizes share the same square for the logo, so `scale` may cache
 * it.
 */
export async function renderPng(image: CodeImage, scale: ScaleLogo = scaleLogo): Promise<Buffer> {
  const { matrix, foreground, background, logo } = image
  const layout = layOut(matrix, image.size)
  if (logo === undefined) {
    const rows = drawRows(matrix, layout, (row) => packBits(row, layout))
    return encodePng(rows, [background, foreground])
  }
  const { logoStart, logoSide } = getLogoBox(matrix)
  const at = layout.margin + Math.round(logoStart * layout.scale)
  const side = logoSide * layout.scale
  const rows = drawRows(clearLogoBox(matrix), layout, (row) =>
    paintRow(row, layout, { foreground, background }),
  )
  return encodePng(overlayLogo(rows, await scale(logo, side), { at, side, background }))
}

/** Returns the rows of an image. All rows that show the same modules are the same buffer. */
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

/** Returns for each pixel of a row whether it is dark. */
function toPixels(row: readonly boolean[], { size, scale, margin }: Layout): boolean[] {
  const pixels = Array<boolean>(size).fill(false)
  for (const [x, dark] of row.entries()) {
    if (dark) pixels.fill(true, margin + x * scale, margin + (x + 1) * scale)
  }
  return pixels
}

/** Returns three bytes per pixel of a row: its color. */
function paintRow(
  row: readonly boolean[],
  { size, scale, margin }: Layout,
  { foreground, background }: { foreground: Rgb; background: Rgb },
): Buffer {
  const pixels = Buffer.alloc(3 * size, Buffer.from(background))
  const module = Buffer.alloc(3 * scale, Buffer.from(foreground))
  for (const [x, dark] of row.entries()) {
    if (dark) module.copy(pixels, 3 * (margin + x * scale))
  }
  return pixels
}

/** Returns one bit per pixel of a row, which is set if the pixel is dark. */
function packBits(row: readonly boolean[], layout: Layout): Buffer {
  const bytes = Buffer.alloc(Math.ceil(layout.size / 8))
  for (const [x, dark] of toPixels(row, layout).entries()) {
    if (dark) bytes[x >> 3] = (bytes[x >> 3] ?? 0) | (0x80 >> (x & 7))
  }
  return bytes
}

/**
 * Draws a logo (four bytes per pixel) on top of the rows (three bytes per pixel). Its first pixel
 * is at column and row `at`.
 */
function overlayLogo(
  rows: readonly Buffer[],
  logo: Buffer,
  { at, side, background }: { at: number; side: number; background: Rgb },
): Buffer[] {
  const [red, green, blue] = background
  return rows.map((row, y) => {
    if (y < at || y >= at + side) return row
    const covered = Buffer.from(row)
    let to = 3 * at
    const end = 4 * (y - at + 1) * side
    for (let from = 4 * (y - at) * side; from < end; from += 4, to += 3) {
      const alpha = logo[from + 3] ?? 0
      const inverse = 255 - alpha
      covered[to] = Math.round(((logo[from] ?? 0) * alpha + red * inverse) / 255)
      covered[to + 1] = Math.round(((logo[from + 1] ?? 0) * alpha + green * inverse) / 255)
      covered[to + 2] = Math.round(((logo[from + 2] ?? 0) * alpha + blue * inverse) / 255)
    }
    return covered
  })
}

/** Scales a stored logo. */
export async function scaleLogo(logo: Buffer, side: number): Promise<Buffer> {
  const sharp = await loadSharp()
  return sharp(logo, { limitInputPixels: LOGO_SIDE ** 2 })
    .resize(side, side, { fit: 'contain', background: { r: 0, g: 0, b: 0, alpha: 0 } })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer()
}

/**
 * Encodes a square image that has many repeated rows. The rows are unfiltered bytes: one bit per
 * pixel if `palette` has two colors, otherwise three bytes per pixel. A row that is the same buffer
 * as the previous one compresses almost for free.
 */
async function encodePng(rows: readonly Buffer[], palette?: readonly Rgb[]): Promise<Buffer> {
  const size = rows.length
  const length = (rows[0]?.length ?? 0) + 1
  const pixels = Buffer.alloc(size * length)
  for (const [y, row] of rows.entries()) {
    const isRepeated = row === rows[y - 1]
    pixels[y * length] = isRepeated ? FILTER_UP : FILTER_NONE
    if (!isRepeated) row.copy(pixels, y * length + 1)
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size)
  header.writeUInt32BE(size, 4)
  // The bits per sample and the color type: palette or truecolor.
  header.set(palette ? [1, 3] : [8, 2], 8)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    palette ? chunk('PLTE', Buffer.from(palette.flat())) : Buffer.alloc(0),
    chunk('IDAT', await compress(pixels, { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const bytes = Buffer.alloc(data.length + 12)
  bytes.writeUInt32BE(data.length)
  bytes.write(type, 4, 'latin1')
  data.copy(bytes, 8)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), data.length + 8)
  return bytes
}

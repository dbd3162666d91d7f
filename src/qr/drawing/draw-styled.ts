import { loadSharp } from '../../pictures/load-sharp.ts'
import { formatRgb } from './color.ts'
import { compose, type Drawing, type Shape } from './compose.ts'
import { drawPdf } from './draw-pdf.ts'
import type { CodeImage } from './matrix.ts'
import type { Path } from './path.ts'
import type { CodeStyle } from './style.ts'

/**
 * The minimum number of pixels per module. With fewer pixels, readers miss some codes with rounded
 * shapes.
 */
const MIN_SCALE = 4

/**
 * Renders a code in a style. The width is the requested one, or the smallest one that is readable.
 */
export async function drawStyled(
  image: CodeImage & { style: CodeStyle },
  format: 'png' | 'svg' | 'pdf',
): Promise<Buffer> {
  const drawing = compose(image)
  const pixels = Math.max(image.size, drawing.width * MIN_SCALE)
  switch (format) {
    case 'svg':
      return Buffer.from(drawSvg(drawing, pixels))
    case 'pdf':
      return drawPdf(drawing, pixels)
    case 'png':
      return drawPng(drawing, pixels)
  }
}

/** Renders a drawing as a PNG with a width in pixels. */
async function drawPng(drawing: Drawing, pixels: number): Promise<Buffer> {
  const sharp = await loadSharp()
  return sharp(Buffer.from(drawSvg(drawing, pixels)))
    .removeAlpha()
    .png()
    .toBuffer()
}

/** Renders a drawing as an SVG document with a width in pixels. */
function drawSvg({ width, height, shapes }: Drawing, pixels: number): string {
  const pixelHeight = Math.round((pixels * height) / width)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${pixels}" height="${pixelHeight}"`,
    ` viewBox="0 0 ${width} ${height}">`,
    ...shapes.map(toElement),
    '</svg>',
  ].join('')
}

function toElement(shape: Shape): string {
  switch (shape.kind) {
    case 'fill':
      return `<path fill="${formatRgb(shape.color)}"${shape.holes ? ' fill-rule="evenodd"' : ''} d="${toPathData(shape.path)}"/>`
    case 'stroke':
      return (
        `<path fill="none" stroke="${formatRgb(shape.color)}" stroke-width="${formatNumber(shape.width)}"` +
        ` stroke-linecap="round" stroke-linejoin="round" d="${toPathData(shape.path)}"/>`
      )
    case 'image': {
      const { x, y, side, png } = shape
      return (
        `<image x="${x}" y="${y}" width="${side}" height="${side}"` +
        ` href="data:image/png;base64,${png.toString('base64')}"/>`
      )
    }
  }
}

function toPathData(path: Path): string {
  return path.map(([name, ...numbers]) => name + numbers.map(formatNumber).join(' ')).join('')
}

function formatNumber(number: number): string {
  return String(Math.round(number * 1000) / 1000)
}

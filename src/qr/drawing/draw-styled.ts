import { compose } from './compose.ts'
import { drawPdf } from './draw-pdf.ts'
import { drawPng } from './draw-png.ts'
import { drawSvg } from './draw-svg.ts'
import type { CodeImage } from './layout.ts'
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

import type { Drawing } from './compose.ts'
import { drawSvg } from './draw-svg.ts'
import { loadSharp } from './load-sharp.ts'

/** Renders a drawing as a PNG with a width in pixels. */
export async function drawPng(drawing: Drawing, pixels: number): Promise<Buffer> {
  const sharp = await loadSharp()
  return sharp(Buffer.from(drawSvg(drawing, pixels)))
    .removeAlpha()
    .png()
    .toBuffer()
}

import { formatRgb } from './color.ts'
import type { Drawing, Shape } from './compose.ts'
import type { Path } from './path.ts'

/** Renders a drawing as an SVG document with a width in pixels. */
export function drawSvg({ width, height, shapes }: Drawing, pixels: number): string {
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

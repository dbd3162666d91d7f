import { formatRgb } from './color.ts'
import {
  type CodeImage,
  clearLogoBox,
  getLogoBox,
  layOut,
  type Matrix,
  quietZone,
} from './matrix.ts'

/** Renders a code as an SVG document. The unit of its view box is one module. */
export function renderSvg({ matrix, foreground, background, size, logo }: CodeImage): string {
  const visible = logo === undefined ? matrix : clearLogoBox(matrix)
  const modules = matrix.length + 2 * quietZone
  const { size: pixels } = layOut(matrix, size)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${pixels}" height="${pixels}"`,
    ` viewBox="0 0 ${modules} ${modules}" shape-rendering="crispEdges">`,
    `<path fill="${formatRgb(background)}" d="M0 0h${modules}v${modules}H0z"/>`,
    `<path fill="${formatRgb(foreground)}" d="${drawRuns(visible)}"/>`,
    logo === undefined ? '' : drawLogo(matrix, logo),
    '</svg>',
  ].join('')
}

/** Draws one rectangle per horizontal run of dark modules. */
function drawRuns(matrix: Matrix): string {
  const path: string[] = []
  for (const [y, row] of matrix.entries()) {
    let x = row.indexOf(true)
    while (x !== -1) {
      const end = row.indexOf(false, x)
      const length = (end === -1 ? row.length : end) - x
      path.push(`M${x + quietZone} ${y + quietZone}h${length}v1h-${length}z`)
      x = row.indexOf(true, x + length)
    }
  }
  return path.join('')
}

function drawLogo(matrix: Matrix, logo: Buffer): string {
  const { logoStart, logoSide } = getLogoBox(matrix)
  const at = logoStart + quietZone
  const data = logo.toString('base64')
  return (
    `<image x="${at}" y="${at}" width="${logoSide}" height="${logoSide}"` +
    ` href="data:image/png;base64,${data}"/>`
  )
}

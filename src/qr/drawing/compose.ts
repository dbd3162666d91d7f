import { drawCaption } from './caption-font.ts'
import type { Rgb } from './color.ts'
import { type CodeImage, clearLogoBox, logoBox, quietZone } from './layout.ts'
import type { Matrix } from './matrix.ts'
import { circle, type Path, rectangle } from './path.ts'
import type { CodeStyle } from './style.ts'

/** A part of a drawing. With `holes`, areas where parts of a fill overlap are empty. */
export type Shape =
  | { kind: 'fill'; color: Rgb; path: Path; holes?: boolean }
  | { kind: 'stroke'; color: Rgb; path: Path; width: number }
  | { kind: 'image'; png: Buffer; x: number; y: number; side: number }

/** A code as shapes. The unit is one module. */
export type Drawing = { width: number; height: number; shapes: Shape[] }

const FINDER = 7
/** The width of a frame, and the height of its caption as a share of the frame's width. */
const FRAME = 1
const CAPTION_SHARE = 0.17
/** Some readers miss dots with a smaller radius. */
const DOT = 0.5

/** Draws a code in a style. */
export function compose(image: CodeImage & { style: CodeStyle }): Drawing {
  const { matrix, foreground, background, logo, style } = image
  const { caption } = style
  const edge = caption === null ? 0 : FRAME
  const inner = matrix.length + 2 * quietZone
  const width = inner + 2 * edge
  const band = caption === null ? 0 : Math.round(width * CAPTION_SHARE)
  const height = width + band
  const shapes: Shape[] = [
    { kind: 'fill', color: background, path: rectangle(0, 0, width, height) },
  ]
  if (caption !== null) {
    const path = [
      ...rectangle(0, 0, width, height, 2.5),
      ...rectangle(edge, edge, inner, inner, 1.5),
    ]
    shapes.push({ kind: 'fill', color: foreground, path, holes: true })
    const box = { x: 0, y: width - edge, width, height: band + edge }
    shapes.push({ kind: 'stroke', color: background, ...drawCaption(caption, box) })
  }
  const at = edge + quietZone
  const visible = logo ? clearLogoBox(matrix) : matrix
  shapes.push({ kind: 'fill', color: foreground, path: modules(visible, at, style.dots) })
  shapes.push({ kind: 'fill', color: foreground, path: eyes(matrix, at, style.eyes), holes: true })
  if (logo) {
    const { start, logoSide } = logoBox(matrix)
    shapes.push({
      kind: 'image',
      png: logo,
      x: at + start + 0.5,
      y: at + start + 0.5,
      side: logoSide,
    })
  }
  return { width, height, shapes }
}

function modules(matrix: Matrix, at: number, dots: CodeStyle['dots']): Path {
  const size = matrix.length
  const isFinder = (x: number, y: number) =>
    (x < FINDER && (y < FINDER || y >= size - FINDER)) || (x >= size - FINDER && y < FINDER)
  const isDark = (x: number, y: number) => matrix[y]?.[x] === true && !isFinder(x, y)
  // Does not draw the last alignment pattern as dots, because readers recognize it only if its
  // modules are connected.
  const isAlignment = (x: number, y: number) =>
    size > 21 && Math.max(Math.abs(x - (size - 7)), Math.abs(y - (size - 7))) <= 2
  const path: Path = []
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      if (!isDark(x, y)) continue
      path.push(...module(x, y, at, isAlignment(x, y) ? 'square' : dots, isDark))
    }
  }
  return path
}

function module(
  x: number,
  y: number,
  at: number,
  dots: CodeStyle['dots'],
  isDark: (x: number, y: number) => boolean,
): Path {
  if (dots === 'dots') return circle(at + x + 0.5, at + y + 0.5, DOT)
  if (dots === 'square') return rectangle(at + x, at + y, 1, 1)
  const up = isDark(x, y - 1)
  const right = isDark(x + 1, y)
  const down = isDark(x, y + 1)
  const left = isDark(x - 1, y)
  const round = (one: boolean, other: boolean) => (one || other ? 0 : 0.5)
  const radii = [round(up, left), round(up, right), round(down, right), round(down, left)] as const
  return rectangle(at + x, at + y, 1, 1, radii)
}

function eyes(matrix: Matrix, at: number, shape: CodeStyle['eyes']): Path {
  const last = matrix.length - FINDER
  const places = [
    [0, 0],
    [last, 0],
    [0, last],
  ] as const
  // The radii of the ring, of its hole, and of the dot inside.
  const [ring, hole, dot] =
    shape === 'circle' ? [3.5, 2.5, 1.5] : shape === 'rounded' ? [2, 1.2, 0.8] : [0, 0, 0]
  return places.flatMap(([x, y]) => [
    ...rectangle(at + x, at + y, 7, 7, ring),
    ...rectangle(at + x + 1, at + y + 1, 5, 5, hole),
    ...rectangle(at + x + 2, at + y + 2, 3, 3, dot),
  ])
}

import { drawCaption } from './caption-font.ts'
import type { Rgb } from './color.ts'
import { type CodeImage, clearLogoBox, getLogoBox, type Matrix, quietZone } from './matrix.ts'
import { drawCircle, drawRectangle, type Path } from './path.ts'
import type { CodeStyle } from './style.ts'

/** A part of a drawing. With `holes`, areas where parts of a fill overlap are empty. */
export type Shape =
  | { kind: 'fill'; color: Rgb; path: Path; holes?: boolean }
  | { kind: 'stroke'; color: Rgb; path: Path; width: number }
  | { kind: 'image'; png: Buffer; x: number; y: number; side: number }

/** A code as shapes. The unit is one module. */
export type Drawing = { width: number; height: number; shapes: Shape[] }

const FINDER_SIZE = 7
/** The width of a frame's border, in modules. */
const FRAME_WIDTH = 1
/** The radii of a frame's outer and inner corners, in modules. */
const FRAME_OUTER_RADIUS = 2.5
const FRAME_INNER_RADIUS = 1.5
/** The height of the band with the caption, as a share of the drawing's width. */
const CAPTION_SHARE = 0.17
/** Some readers miss dots with a smaller radius. */
const DOT_RADIUS = 0.5

/** Composes the drawing of a code in a style. */
export function compose(image: CodeImage & { style: CodeStyle }): Drawing {
  const { matrix, foreground, background, logo, style } = image
  const { caption } = style
  const frameWidth = caption === null ? 0 : FRAME_WIDTH
  // The width without the frame, in modules.
  const innerWidth = matrix.length + 2 * quietZone
  const width = innerWidth + 2 * frameWidth
  const bandHeight = caption === null ? 0 : Math.round(width * CAPTION_SHARE)
  const height = width + bandHeight
  const shapes: Shape[] = [
    { kind: 'fill', color: background, path: drawRectangle(0, 0, width, height) },
  ]
  if (caption !== null) {
    const path = [
      ...drawRectangle(0, 0, width, height, FRAME_OUTER_RADIUS),
      ...drawRectangle(frameWidth, frameWidth, innerWidth, innerWidth, FRAME_INNER_RADIUS),
    ]
    shapes.push({ kind: 'fill', color: foreground, path, holes: true })
    const box = { x: 0, y: width - frameWidth, width, height: bandHeight + frameWidth }
    shapes.push({ kind: 'stroke', color: background, ...drawCaption(caption, box) })
  }
  const offset = frameWidth + quietZone
  const visible = logo ? clearLogoBox(matrix) : matrix
  shapes.push({ kind: 'fill', color: foreground, path: drawModules(visible, offset, style.dots) })
  shapes.push({
    kind: 'fill',
    color: foreground,
    path: drawEyes(matrix, offset, style.eyes),
    holes: true,
  })
  if (logo) {
    const { logoStart, logoSide } = getLogoBox(matrix)
    shapes.push({
      kind: 'image',
      png: logo,
      x: offset + logoStart,
      y: offset + logoStart,
      side: logoSide,
    })
  }
  return { width, height, shapes }
}

function drawModules(matrix: Matrix, offset: number, dots: CodeStyle['dots']): Path {
  const size = matrix.length
  const isFinder = (x: number, y: number) =>
    (x < FINDER_SIZE && (y < FINDER_SIZE || y >= size - FINDER_SIZE)) ||
    (x >= size - FINDER_SIZE && y < FINDER_SIZE)
  const isDark = (x: number, y: number) => matrix[y]?.[x] === true && !isFinder(x, y)
  // Does not draw the last alignment pattern as dots, because readers recognize it only if its
  // modules are connected.
  const isAlignment = (x: number, y: number) =>
    size > 21 && Math.max(Math.abs(x - (size - 7)), Math.abs(y - (size - 7))) <= 2
  const path: Path = []
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      if (!isDark(x, y)) continue
      path.push(...drawModule(x, y, offset, isAlignment(x, y) ? 'square' : dots, isDark))
    }
  }
  return path
}

function drawModule(
  x: number,
  y: number,
  offset: number,
  dots: CodeStyle['dots'],
  isDark: (x: number, y: number) => boolean,
): Path {
  if (dots === 'dots') return drawCircle(offset + x + 0.5, offset + y + 0.5, DOT_RADIUS)
  if (dots === 'square') return drawRectangle(offset + x, offset + y, 1, 1)
  const up = isDark(x, y - 1)
  const right = isDark(x + 1, y)
  const down = isDark(x, y + 1)
  const left = isDark(x - 1, y)
  // A corner is round unless one of the two adjacent modules is dark.
  const chooseRadius = (...adjacent: [boolean, boolean]) => (adjacent.includes(true) ? 0 : 0.5)
  const radii = [
    chooseRadius(up, left),
    chooseRadius(up, right),
    chooseRadius(down, right),
    chooseRadius(down, left),
  ] as const
  return drawRectangle(offset + x, offset + y, 1, 1, radii)
}

/** The radii of a finder pattern's ring, of the hole in it, and of the dot inside. */
const EYE_RADII: Readonly<Record<CodeStyle['eyes'], readonly [number, number, number]>> = {
  square: [0, 0, 0],
  rounded: [2, 1.2, 0.8],
  circle: [3.5, 2.5, 1.5],
}

function drawEyes(matrix: Matrix, offset: number, shape: CodeStyle['eyes']): Path {
  const last = matrix.length - FINDER_SIZE
  const positions = [
    [0, 0],
    [last, 0],
    [0, last],
  ] as const
  const [ring, hole, dot] = EYE_RADII[shape]
  return positions.flatMap(([x, y]) => [
    ...drawRectangle(offset + x, offset + y, 7, 7, ring),
    ...drawRectangle(offset + x + 1, offset + y + 1, 5, 5, hole),
    ...drawRectangle(offset + x + 2, offset + y + 2, 3, 3, dot),
  ])
}

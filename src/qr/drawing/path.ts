/** The commands of a path, which are the same in SVG and PDF: move, line, cubic curve, close. */
export type Command =
  | ['M' | 'L', x: number, y: number]
  | ['C', x1: number, y1: number, x2: number, y2: number, x: number, y: number]
  | ['Z']
export type Path = Command[]

/**
 * The distance of a cubic curve's control points from its ends, as a share of the radius, with
 * which the curve approximates a quarter of a circle.
 */
const ARC = 0.5523

type Corners = readonly [topLeft: number, topRight: number, bottomRight: number, bottomLeft: number]

/** Returns the path of a rectangle with a radius for each corner. */
export function drawRectangle(
  x: number,
  y: number,
  width: number,
  height: number,
  radii: number | Corners = 0,
): Path {
  const [tl, tr, br, bl] = typeof radii === 'number' ? [radii, radii, radii, radii] : radii
  const right = x + width
  const bottom = y + height
  return [
    ['M', x + tl, y],
    ['L', right - tr, y],
    ...drawCorner(right - tr, y, right, y + tr, tr, 'x'),
    ['L', right, bottom - br],
    ...drawCorner(right, bottom - br, right - br, bottom, br, 'y'),
    ['L', x + bl, bottom],
    ...drawCorner(x + bl, bottom, x, bottom - bl, bl, 'x'),
    ['L', x, y + tl],
    ...drawCorner(x, y + tl, x + tl, y, tl, 'y'),
    ['Z'],
  ]
}

export function drawCircle(x: number, y: number, radius: number): Path {
  return drawRectangle(x - radius, y - radius, 2 * radius, 2 * radius, radius)
}

/** Returns a quarter of a circle that starts along an axis. */
function drawCorner(
  fromX: number,
  fromY: number,
  toX: number,
  toY: number,
  radius: number,
  along: 'x' | 'y',
): Path {
  if (radius === 0) return []
  const dx = toX - fromX
  const dy = toY - fromY
  return along === 'x'
    ? [['C', fromX + dx * ARC, fromY, toX, toY - dy * ARC, toX, toY]]
    : [['C', fromX, fromY + dy * ARC, toX - dx * ARC, toY, toX, toY]]
}

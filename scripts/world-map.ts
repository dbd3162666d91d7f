/**
 * Writes `src/http/console/analytics/world-shapes.ts` from world-atlas, which packages the outlines of
 * Natural Earth:
 *
 *     npm install --no-save world-atlas@2.0.2 && node scripts/world-map.ts
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import countries from 'i18n-iso-countries/index.js'

type Ring = readonly number[]
type Geometry = { id?: string; properties: { name: string } } & (
  | { type: 'Polygon'; arcs: readonly Ring[] }
  | { type: 'MultiPolygon'; arcs: readonly (readonly Ring[])[] }
)
type Topology = {
  objects: { countries: { geometries: readonly Geometry[] } }
  arcs: readonly (readonly [number, number][])[]
  transform: { scale: [number, number]; translate: [number, number] }
}
type Point = readonly [x: number, y: number]

const WIDTH = 800
/** Half of the projection's width at the equator. */
const HALF = 0.8707 * Math.PI
const SCALE = WIDTH / (2 * HALF)
/** The map excludes Antarctica. */
const [NORTH, SOUTH] = [83.7, -56]
const LEFT_OUT = new Set(['AQ', 'TF'])
/** Countries without an ISO number. Other areas without a number are omitted. */
const UNNUMBERED = new Map([['Kosovo', 'XK']])

const require = createRequire(import.meta.url)
const topY = yOf(NORTH)
const height = Math.round((yOf(NORTH) - yOf(SOUTH)) * SCALE)

const shapes = read('countries-110m.json')
  .map(({ code, rings }) => [code, rings.map(pathOf).join('')] as const)
  .filter(([, path]) => path !== '')
const drawn = new Set(shapes.map(([code]) => code))
const dots = read('countries-50m.json')
  .filter(({ code }) => !drawn.has(code))
  .map(({ code, rings }) => [code, ...middleOf(rings)] as const)

const text = `/** Size of the map. Written by \`scripts/world-map.ts\` from Natural Earth, which is in the public domain. */
export const [WIDTH, HEIGHT] = [${WIDTH}, ${height}]

/** A country on each line: its ISO code and its outline. */
export const SHAPES = \`
${shapes.map((shape) => shape.join(' ')).join('\n')}
\`

/** Countries too small for an outline: their codes and places. */
export const DOTS = \`
${dots.map((dot) => dot.join(' ')).join('\n')}
\`
`
writeFileSync(new URL('../src/http/console/analytics/world-shapes.ts', import.meta.url), text)
console.log(`${shapes.length} shapes, ${dots.length} dots, ${text.length} bytes`)

function read(file: string): { code: string; rings: Point[][] }[] {
  const path = require.resolve(`world-atlas/${file}`)
  const topology = JSON.parse(readFileSync(path, 'utf8')) as Topology
  const { scale, translate } = topology.transform
  const arcs = topology.arcs.map((arc) => {
    let [x, y] = [0, 0]
    return arc.map(([dx, dy]): Point => {
      x += dx
      y += dy
      return [x * scale[0] + translate[0], y * scale[1] + translate[1]]
    })
  })
  return topology.objects.countries.geometries.flatMap((geometry) => {
    const { id, properties } = geometry
    const code = id ? countries.numericToAlpha2(id) : UNNUMBERED.get(properties.name)
    if (!code || LEFT_OUT.has(code)) return []
    const polygons = geometry.type === 'Polygon' ? [geometry.arcs] : geometry.arcs
    const rings = polygons.flat().map((ring) =>
      ring.flatMap((index) => {
        const arc = index < 0 ? (arcs[~index] ?? []).toReversed() : (arcs[index] ?? [])
        return arc.slice(1)
      }),
    )
    return [{ code, rings: rings.map((ring) => ring.map(project)) }]
  })
}

/** Applies the Natural Earth projection (https://doi.org/10.1559/152304012802735891). */
function project([longitude, latitude]: Point): Point {
  const f = (latitude * Math.PI) / 180
  const f2 = f * f
  const f4 = f2 * f2
  const x = 0.8707 - 0.131979 * f2 + f4 * (-0.013791 + f4 * (0.003971 * f2 - 0.001529 * f4))
  const lambda = (longitude * Math.PI) / 180
  return [(HALF + lambda * x) * SCALE, (topY - yOf(latitude)) * SCALE]
}

function yOf(latitude: number): number {
  const f = (latitude * Math.PI) / 180
  const f2 = f * f
  const f4 = f2 * f2
  return f * (1.007226 + f2 * (0.015085 + f4 * (-0.044475 + 0.028874 * f2 - 0.005916 * f4)))
}

/**
 * Returns the SVG path of a ring in whole pixels. A ring that crosses the date line becomes two
 * outlines.
 */
function pathOf(ring: readonly Point[]): string {
  const sides = [ring.filter(([x]) => x < WIDTH / 2), ring.filter(([x]) => x >= WIDTH / 2)]
  const isCut = ring.some(([x], index) => Math.abs(x - (ring.at(index - 1)?.[0] ?? x)) > WIDTH / 2)
  return (isCut ? sides : [ring]).map(outline).join('')
}

/** Returns the SVG path of an outline, or an empty string if it is smaller than a pixel. */
function outline(ring: readonly Point[]): string {
  const points = ring.map(([x, y]): Point => [Math.round(x), Math.round(y)])
  const distinct = points.filter(
    ([x, y], index) => index === 0 || x !== points[index - 1]?.[0] || y !== points[index - 1]?.[1],
  )
  const corners = distinct.filter(([x, y], index) => {
    const [before, after] = [distinct.at(index - 1), distinct[(index + 1) % distinct.length]]
    if (!before || !after) return true
    return (x - before[0]) * (after[1] - y) !== (after[0] - x) * (y - before[1])
  })
  const [first] = corners
  if (!first || corners.length < 3) return ''
  let [x, y] = first
  const moves = corners.slice(1).map((point) => {
    const [dx, dy] = [point[0] - x, point[1] - y]
    ;[x, y] = point
    return `${dx}${dy < 0 ? dy : ` ${dy}`}`
  })
  return `M${first[0]} ${first[1]}l${moves.join(' ').replaceAll(' -', '-')}z`
}

/** Returns the center of the largest ring. */
function middleOf(rings: readonly (readonly Point[])[]): [number, number] {
  const [largest = []] = rings.toSorted((a, b) => extent(b) - extent(a))
  const [xs, ys] = [largest.map(([x]) => x), largest.map(([, y]) => y)]
  return [middle(xs), middle(ys)]
}

function extent(ring: readonly Point[]): number {
  const [xs, ys] = [ring.map(([x]) => x), ring.map(([, y]) => y)]
  return (Math.max(...xs) - Math.min(...xs)) * (Math.max(...ys) - Math.min(...ys))
}

function middle(values: readonly number[]): number {
  return Math.round((Math.min(...values) + Math.max(...values)) / 2)
}

import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import countries from 'i18n-iso-countries/index.js'
import { readArguments } from './arguments.ts'

readArguments(`Usage: npm install --no-save world-atlas@2.0.2 && bin/node scripts/world-map.ts

Writes src/http/console/analytics/world-map.json from world-atlas, which packages the outlines of Natural Earth.`)

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
const HALF_WIDTH = 0.8707 * Math.PI
const SCALE = WIDTH / (2 * HALF_WIDTH)
/** The latitudes of the map's edges. It excludes Antarctica. */
const NORTH = 83.7
const SOUTH = -56
/** Antarctica and the French Southern Territories. */
const OMITTED_COUNTRIES = new Set(['AQ', 'TF'])
/** Codes of countries without an ISO number. Other areas without a number are omitted. */
const CODES_BY_NAME = new Map([['Kosovo', 'XK']])

const require = createRequire(import.meta.url)
const topY = projectLatitude(NORTH)
const height = Math.round((projectLatitude(NORTH) - projectLatitude(SOUTH)) * SCALE)

const shapes = readCountries('countries-110m.json')
  .map(({ code, rings }) => [code, rings.map(ringPath).join('')] as const)
  .filter(([, path]) => path !== '')
const drawnCodes = new Set(shapes.map(([code]) => code))
const dots = readCountries('countries-50m.json')
  .filter(({ code }) => !drawnCodes.has(code))
  .map(({ code, rings }) => [code, centerOfLargest(rings)] as const)

const world = {
  width: WIDTH,
  height,
  shapes: Object.fromEntries(shapes),
  dots: Object.fromEntries(dots),
}
// One country per line, like Biome.
const text = `${JSON.stringify(world, null, 2).replace(/\[\s+(\d+),\s+(\d+)\s+\]/g, '[$1, $2]')}\n`
writeFileSync(new URL('../src/http/console/analytics/world-map.json', import.meta.url), text)
console.log(`${shapes.length} shapes, ${dots.length} dots, ${text.length} bytes`)

function readCountries(file: string): { code: string; rings: Point[][] }[] {
  const path = require.resolve(`world-atlas/${file}`)
  const topology = JSON.parse(readFileSync(path, 'utf8')) as Topology
  const { scale, translate } = topology.transform
  const arcs = topology.arcs.map((arc) => {
    let x = 0
    let y = 0
    return arc.map(([dx, dy]): Point => {
      x += dx
      y += dy
      return [x * scale[0] + translate[0], y * scale[1] + translate[1]]
    })
  })
  return topology.objects.countries.geometries.flatMap((geometry) => {
    const { id, properties } = geometry
    const code = id ? countries.numericToAlpha2(id) : CODES_BY_NAME.get(properties.name)
    if (!code || OMITTED_COUNTRIES.has(code)) return []
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

/**
 * Projects a point to pixels of the map with the Natural Earth projection
 * (https://doi.org/10.1559/152304012802735891). The polynomial's coefficients are from the paper.
 */
function project([longitude, latitude]: Point): Point {
  const phi = (latitude * Math.PI) / 180
  const phi2 = phi * phi
  const phi4 = phi2 * phi2
  const width =
    0.8707 - 0.131979 * phi2 + phi4 * (-0.013791 + phi4 * (0.003971 * phi2 - 0.001529 * phi4))
  const lambda = (longitude * Math.PI) / 180
  return [(HALF_WIDTH + lambda * width) * SCALE, (topY - projectLatitude(latitude)) * SCALE]
}

function projectLatitude(latitude: number): number {
  const phi = (latitude * Math.PI) / 180
  const phi2 = phi * phi
  const phi4 = phi2 * phi2
  return (
    phi * (1.007226 + phi2 * (0.015085 + phi4 * (-0.044475 + 0.028874 * phi2 - 0.005916 * phi4)))
  )
}

/**
 * Returns the SVG path of a ring in whole pixels. A ring that crosses the date line becomes two
 * outlines.
 */
function ringPath(ring: readonly Point[]): string {
  const sides = [ring.filter(([x]) => x < WIDTH / 2), ring.filter(([x]) => x >= WIDTH / 2)]
  const isCut = ring.some(([x], index) => Math.abs(x - (ring.at(index - 1)?.[0] ?? x)) > WIDTH / 2)
  return (isCut ? sides : [ring]).map(outlinePath).join('')
}

/** Returns the SVG path of an outline, or an empty string if it is smaller than a pixel. */
function outlinePath(ring: readonly Point[]): string {
  const points = ring.map(([x, y]): Point => [Math.round(x), Math.round(y)])
  const distinct = points.filter(
    ([x, y], index) => index === 0 || x !== points[index - 1]?.[0] || y !== points[index - 1]?.[1],
  )
  const corners = distinct.filter(([x, y], index) => {
    const before = distinct.at(index - 1)
    const after = distinct[(index + 1) % distinct.length]
    if (!before || !after) return true
    return (x - before[0]) * (after[1] - y) !== (after[0] - x) * (y - before[1])
  })
  const [first] = corners
  if (!first || corners.length < 3) return ''
  let [x, y] = first
  const moves = corners.slice(1).map((point) => {
    const dx = point[0] - x
    const dy = point[1] - y
    ;[x, y] = point
    return `${dx}${dy < 0 ? dy : ` ${dy}`}`
  })
  return `M${first[0]} ${first[1]}l${moves.join(' ').replaceAll(' -', '-')}z`
}

/** Returns the center of the largest ring. */
function centerOfLargest(rings: readonly (readonly Point[])[]): [number, number] {
  const [largest = []] = rings.toSorted((a, b) => boundingBoxArea(b) - boundingBoxArea(a))
  const xs = largest.map(([x]) => x)
  const ys = largest.map(([, y]) => y)
  return [midpoint(xs), midpoint(ys)]
}

function boundingBoxArea(ring: readonly Point[]): number {
  const xs = ring.map(([x]) => x)
  const ys = ring.map(([, y]) => y)
  return (Math.max(...xs) - Math.min(...xs)) * (Math.max(...ys) - Math.min(...ys))
}

function midpoint(values: readonly number[]): number {
  return Math.round((Math.min(...values) + Math.max(...values)) / 2)
}

import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import type { Rgb } from './color.ts'
import { clearLogoBox, createQrMatrix, getLogoBox, layOut } from './matrix.ts'
import { renderPng } from './render-png.ts'
import { renderSvg } from './render-svg.ts'

const colors = { foreground: [10, 20, 30], background: [250, 240, 230] } as const
const link = createQrMatrix('https://example.com/abc', { ecc: 'medium' })

describe('the matrix', () => {
  test('is square, has a standard size, and starts with a finder pattern', () => {
    for (const length of [1, 20, 100, 1000, 2331]) {
      const matrix = createQrMatrix('a'.repeat(length), { ecc: 'medium' })
      expect((matrix.length - 17) % 4).toBe(0)
      expect(matrix.every((row) => row.length === matrix.length)).toBe(true)
      expect(matrix[0]?.slice(0, 8)).toEqual([...Array(7).fill(true), false])
    }
  })

  test('accepts up to the capacity of the largest code and no more', () => {
    // `medium` falls back to `low`.
    expect(createQrMatrix('a'.repeat(2953), { ecc: 'medium' })).toHaveLength(177)
    expect(createQrMatrix('1'.repeat(7089), { ecc: 'medium' })).toHaveLength(177)
    expect(createQrMatrix('a'.repeat(1273), { ecc: 'high' })).toHaveLength(177)
    const tooLong = 'data is too long for a QR code'
    expect(() => createQrMatrix('a'.repeat(2954), { ecc: 'medium' })).toThrow(tooLong)
    expect(() => createQrMatrix('ä'.repeat(1477), { ecc: 'medium' })).toThrow(tooLong)
    expect(() => createQrMatrix('a'.repeat(1274), { ecc: 'high' })).toThrow(
      `${tooLong} with a logo`,
    )
  })
})

describe('the layout', () => {
  test('has four light modules on each side and at least two pixels per module', () => {
    for (let version = 1; version <= 40; version += 1) {
      const matrix = Array.from({ length: 17 + 4 * version }, () => [])
      for (const requested of [100, 101, 333, 2000]) {
        const { size, scale, margin } = layOut(matrix, requested)
        const marginAfter = size - margin - matrix.length * scale
        expect(scale).toBeGreaterThanOrEqual(2)
        expect(Math.min(margin, marginAfter)).toBeGreaterThanOrEqual(4 * scale)
        expect(Math.abs(marginAfter - margin)).toBeLessThanOrEqual(1)
        expect(size).toBe(Math.max(requested, (matrix.length + 8) * 2))
      }
    }
  })

  test('has a box for the logo in the center, at most a quarter of the width', () => {
    for (let version = 1; version <= 40; version += 1) {
      const length = 17 + 4 * version
      const dark = Array.from({ length }, () => Array<boolean>(length).fill(true))
      const { start, side } = getLogoBox(dark)
      expect(side / length).toBeLessThanOrEqual(0.25)
      expect(side / length).toBeGreaterThan(0.17)
      expect(2 * start + side).toBe(length)
      const light = clearLogoBox(dark)
        .flat()
        .filter((module) => !module)
      expect(light).toHaveLength(side * side)
    }
  })
})

describe('the PNG', () => {
  test.each([100, 101, 299, 300])('is %i pixels wide and has exactly two colors', async (size) => {
    const png = await renderPng({ matrix: link, size, ...colors })
    const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true })
    expect([info.width, info.height, info.channels]).toEqual([size, size, 3])
    expect(new Set(splitPixels(data))).toEqual(new Set(['10,20,30', '250,240,230']))
  })

  test('can be 2000 pixels wide', async () => {
    const png = await renderPng({ matrix: link, size: 2000, ...colors })
    expect(await sharp(png).metadata()).toMatchObject({ format: 'png', width: 2000, height: 2000 })
    expect(png.length).toBeLessThan(100_000)
  })

  test('shows every module of the matrix', async () => {
    const { scale, margin } = layOut(link, 333)
    const png = await renderPng({ matrix: link, size: 333, ...colors })
    const colorsOfPixels = splitPixels(await sharp(png).raw().toBuffer())
    for (const [y, row] of link.entries()) {
      for (const [x, dark] of row.entries()) {
        const index = (margin + y * scale + scale - 1) * 333 + margin + x * scale
        expect(colorsOfPixels[index]).toBe(dark ? '10,20,30' : '250,240,230')
      }
    }
  })

  test('shows the logo in the center of a light box', async () => {
    const logo = await createSquareLogo([200, 0, 0], 1)
    const matrix = createQrMatrix('https://example.com/abc', { ecc: 'high' })
    const { size, scale } = layOut(matrix, 300)
    const png = await renderPng({ matrix, size, ...colors, logo })
    const colorsOfPixels = splitPixels(await sharp(png).raw().toBuffer())
    const row = colorsOfPixels.slice(150 * size, 151 * size)
    const { side, logoSide } = getLogoBox(matrix)
    const edge = Math.ceil(150 - (logoSide * scale) / 2) + 1
    expect(new Set(row.slice(edge, 300 - edge))).toEqual(new Set(['200,0,0']))
    const boxEdge = Math.ceil(150 - (side * scale) / 2) + 1
    expect(row[boxEdge]).toBe('250,240,230')
    expect(row[299 - boxEdge]).toBe('250,240,230')
  })

  test('shows the background through transparent parts of a logo', async () => {
    const logo = await createSquareLogo([200, 0, 0], 0)
    const matrix = createQrMatrix('https://example.com/abc', { ecc: 'high' })
    const png = await renderPng({ matrix, size: 300, ...colors, logo })
    const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true })
    expect(info.channels).toBe(3)
    expect(splitPixels(data)[150 * 300 + 150]).toBe('250,240,230')
  })
})

describe('the SVG', () => {
  test('renders the same pixels as the PNG', async () => {
    const size = (link.length + 8) * 3
    const svg = renderSvg({ matrix: link, size, ...colors })
    const fromSvg = await sharp(Buffer.from(svg)).removeAlpha().raw().toBuffer()
    const fromPng = await sharp(await renderPng({ matrix: link, size, ...colors }))
      .raw()
      .toBuffer()
    expect(fromSvg.equals(fromPng)).toBe(true)
  })

  test('has its size and contains only shapes', () => {
    const svg = renderSvg({ matrix: link, size: 512, ...colors })
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="512" height="512"/)
    expect(svg.match(/<\w+/g)).toEqual(['<svg', '<path', '<path'])
    expect(svg).toContain('fill="rgb(10,20,30)"')
  })

  test('embeds its logo', async () => {
    const logo = await createSquareLogo([200, 0, 0], 1)
    const svg = renderSvg({ matrix: link, size: 512, ...colors, logo })
    expect(svg).toContain(`href="data:image/png;base64,${logo.toString('base64')}"`)
  })
})

/** Returns the color of each pixel as text such as `10,20,30`. */
function splitPixels(data: Buffer): string[] {
  return Array.from({ length: data.length / 3 }, (_, index) =>
    data.subarray(index * 3, index * 3 + 3).join(),
  )
}

function createSquareLogo([r, g, b]: Rgb, alpha: number): Promise<Buffer> {
  const background = { r, g, b, alpha }
  return sharp({ create: { width: 20, height: 20, channels: 4, background } })
    .png()
    .toBuffer()
}

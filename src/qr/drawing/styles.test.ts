import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import jsqr from 'jsqr'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import { normalizeLogo } from '../../pictures/logo.ts'
import { drawCaption, parseCaption } from './caption-font.ts'
import type { Rgb } from './color.ts'
import { drawStyled } from './draw-styled.ts'
import { createQrMatrix } from './matrix.ts'
import { DOTS, EYES } from './style.ts'

const payload = 'https://go.example/spring-sale?utm_source=poster'
const black: Rgb = [0, 0, 0]
const white: Rgb = [255, 255, 255]
const pairs: [Rgb, Rgb][] = [
  [black, white],
  [
    [16, 90, 37],
    [255, 244, 214],
  ],
  [[200, 0, 0], white],
]
const styles = DOTS.flatMap((dots) =>
  EYES.flatMap((eyes) =>
    [null, 'Scan me', 'Für Ågnès & Çelik!'].map((caption) => ({ dots, eyes, caption })),
  ),
)

const wasm = fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm'))
const wasmBinary = new Uint8Array(await readFile(wasm)).buffer
await prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true })

describe('two readers decode every style', () => {
  test.for(styles)('$dots, $eyes, $caption', { timeout: 60_000 }, async (style) => {
    const logo = await normalizeLogo(
      await sharp({ create: { width: 300, height: 200, channels: 3, background: '#e01b24' } })
        .png()
        .toBuffer(),
    )
    for (const optionalLogo of [undefined, logo]) {
      const matrix = createQrMatrix(payload, { ecc: optionalLogo ? 'high' : 'medium' })
      const image = { matrix, logo: optionalLogo, style }
      // Each pair of colors gets another size, because colors do not affect shapes.
      for (const [index, [foreground, background]] of pairs.entries()) {
        const size = [600, 301, 100][index] ?? 0
        const png = await drawStyled({ ...image, foreground, background, size }, 'png')
        expect(await decode(png)).toEqual({ jsqr: payload, zxing: payload })
      }
      const [[foreground, background] = [black, white]] = pairs
      const svg = await drawStyled({ ...image, foreground, background, size: 500 }, 'svg')
      const svgAsPng = await sharp(svg).png().toBuffer()
      expect(await decode(svgAsPng)).toEqual({ jsqr: payload, zxing: payload })
    }
  })

  test.each([20, 300, 1200])('with %i bytes of content', { timeout: 60_000 }, async (length) => {
    const long = 'aB3/'.repeat(length).slice(0, length)
    for (const dots of DOTS) {
      const matrix = createQrMatrix(long, { ecc: 'medium' })
      const style = { dots, eyes: 'circle', caption: 'MENU' } as const
      const image = { matrix, foreground: black, background: white, size: 100, style }
      expect(await decode(await drawStyled(image, 'png'))).toEqual({ jsqr: long, zxing: long })
    }
  })
})

describe('a caption', () => {
  test.each([
    ['  Scan   me ', 'Scan me'],
    ['', null],
    ['  ', null],
    ['Straße 12, ÄÖÜ', 'Straße 12, ÄÖÜ'],
  ])('%j is stored as %j', (text, caption) => expect(parseCaption(text)).toBe(caption))

  test.each(['日本', 'a<b>', '👍', 'x'.repeat(31)])(
    'is rejected if it is too long or has unsupported characters: %j',
    (text) => {
      expect(() => parseCaption(text)).toThrow('caption')
    },
  )

  test('stays inside its box', () => {
    const box = { x: 1, y: 30, width: 40, height: 8 }
    for (const caption of ['I', 'WWWWWWWWWWWWWWWWWWWWWWWWWWWWWW', 'ÀÇ']) {
      const { path, width } = drawCaption(caption, box)
      for (const [, x = 0, y = 0] of path as [string, number, number][]) {
        expect(x).toBeGreaterThanOrEqual(box.x + width / 2)
        expect(x).toBeLessThanOrEqual(box.x + box.width - width / 2)
        expect(y).toBeGreaterThanOrEqual(box.y)
        expect(y).toBeLessThanOrEqual(box.y + box.height)
      }
    }
  })
})

test('a PDF with a logo has a correct object table and a page size in points', async () => {
  const logo = await normalizeLogo(
    await sharp({ create: { width: 30, height: 20, channels: 3, background: '#e01b24' } })
      .png()
      .toBuffer(),
  )
  const style = { dots: 'dots', eyes: 'rounded', caption: 'Scan me' } as const
  const matrix = createQrMatrix(payload, { ecc: 'high' })
  const image = { matrix, foreground: black, background: white, size: 600, logo, style }
  const pdf = (await drawStyled(image, 'pdf')).toString('latin1')
  expect(pdf.startsWith('%PDF-1.7\n')).toBe(true)
  const tableOffset = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(pdf)?.[1])
  // The rows of the six objects follow the table's header and its first, unused row.
  const rows = pdf.slice(tableOffset).split('\n').slice(3, 9)
  for (const [index, row] of rows.entries()) {
    expect(pdf.slice(Number(row.slice(0, 10))).startsWith(`${index + 1} 0 obj\n`)).toBe(true)
  }
  expect(pdf).toMatch(/\/MediaBox \[0 0 450 \d+(\.\d+)?\]/)
  expect(pdf).toContain('/SMask 6 0 R')
  expect((pdf.match(/\/Subtype \/Image/g) ?? []).length).toBe(2)
})

/** Returns the content that each of two readers finds in an image. */
async function decode(image: Buffer) {
  const { data, info } = await sharp(image)
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const pixels = new Uint8ClampedArray(data)
  const { width, height } = info
  const jsqrResult = jsqr.default(pixels, width, height, { inversionAttempts: 'dontInvert' })
  const [zxingResult] = await readBarcodes(
    { data: pixels, width, height, colorSpace: 'srgb' },
    { formats: ['QRCode'], tryInvert: false, textMode: 'Plain' },
  )
  return { jsqr: jsqrResult?.data, zxing: zxingResult?.text }
}

import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import jsqr from 'jsqr'
import sharp from 'sharp'
import { test as base, describe, expect } from 'vitest'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import { webUrl } from '../../../test/support/web-url.ts'
import { normalizeLogo } from '../../pictures/logo.ts'
import { createQrPayload, type QrType } from '../content/payload.ts'
import { checkColors, computeContrastRatio, type Rgb } from './color.ts'
import { type CodeImage, createQrMatrix } from './matrix.ts'
import { renderPng } from './render-png.ts'
import { renderSvg } from './render-svg.ts'

const black: Rgb = [0, 0, 0]
const white: Rgb = [255, 255, 255]

const word = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 24 }),
  fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 24 }),
  fc.constantFrom(
    'a\\b;c,d":e',
    '\\',
    ';;',
    '""',
    'ÄÖÜß',
    '日本語テスト',
    'Пример',
    'שלום',
    '👩‍👩‍👧',
    'ﾊﾝｶｸ',
  ),
)
const name = word.filter((text) => text.trim() !== '')
const ssid = name.filter((text) => Buffer.byteLength(text) <= 32)
const password = fc.string({ unit: 'grapheme', minLength: 8, maxLength: 30 })
const phoneNumber = fc
  .array(fc.constantFrom(...'0123456789'), { minLength: 2, maxLength: 15 })
  .map((digits) => `+${digits.join('')}`)
const lines = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('\n'))

const contents: Record<QrType, fc.Arbitrary<unknown>> = {
  text: fc.oneof(lines, phoneNumber, fc.bigInt({ min: 0n, max: 10n ** 40n }).map(String)),
  link: webUrl({ withFragments: true, withQueryParameters: true }),
  email: fc.oneof(
    fc.constantFrom('jo@example.com', 'a+b@example.org'),
    fc.record({ email: fc.constant('jo@example.com'), subject: word, message: lines }),
  ),
  phone: fc.oneof(phoneNumber, fc.record({ phone: phoneNumber })),
  sms: fc.oneof(phoneNumber, fc.record({ phone: phoneNumber, message: lines })),
  wifi: fc.oneof(
    fc.record({
      ssid,
      encryption: fc.constantFrom('wpa', 'WEP'),
      password,
      hidden: fc.boolean(),
    }),
    fc.record({ ssid, encryption: fc.constant('none') }),
  ),
  vcard: fc.record(
    {
      fname: name,
      lname: word,
      org: word,
      title: word,
      street: lines,
      city: word,
      phone: phoneNumber,
    },
    { requiredKeys: ['fname'] },
  ),
}

const colors = fc
  .tuple(
    fc.tuple(colorChannel(), colorChannel(), colorChannel()),
    fc.tuple(colorChannel(), colorChannel(), colorChannel()),
  )
  .filter(isScannable)

/** `logos` are four images for codes. The fixture also loads the WebAssembly reader. */
const test = base.extend('logos', { scope: 'file' }, async () => {
  const wasm = fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm'))
  const wasmBinary = new Uint8Array(await readFile(wasm)).buffer
  await prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true })
  return Promise.all([
    createLogo(200, 200, '#000000'),
    createLogo(300, 100, '#e01b24'),
    createLogo(90, 400, '#ffffff'),
    createCheckerboardLogo(),
  ])
})

describe('both readers decode the payload', () => {
  test.for(Object.keys(contents) as QrType[])(
    'for the type %s',
    { timeout: 60_000 },
    async (type, { logos }) => {
      await check(
        fc.tuple(contents[type], fc.integer({ min: 100, max: 260 })),
        60,
        async ([data, size]) => {
          const payload = createQrPayload(type, data)
          const code = { matrix: createQrMatrix(payload, { ecc: 'medium' }), size }
          await expectReadable(payload, { ...code, foreground: black, background: white })
        },
      )
      await check(
        fc.tuple(contents[type], fc.integer({ min: 100, max: 260 }), colors, fc.nat({ max: 3 })),
        20,
        async ([data, size, [foreground, background], logoIndex]) => {
          const payload = createQrPayload(type, data)
          const matrix = createQrMatrix(payload, { ecc: 'high' })
          await expectReadable(payload, {
            matrix,
            size,
            foreground,
            background,
            logo: logos[logoIndex],
          })
        },
      )
    },
  )

  test('of an SVG, with and without logo', { timeout: 60_000 }, async ({ logos }) => {
    const anyPayload = fc.oneof(
      ...(Object.keys(contents) as QrType[]).map((type) =>
        contents[type].map((data) => createQrPayload(type, data)),
      ),
    )
    await check(
      fc.tuple(anyPayload, colors, fc.option(fc.nat({ max: 3 }))),
      60,
      async ([payload, pair, logoIndex]) => {
        const logo = logoIndex === null ? undefined : logos[logoIndex]
        const matrix = createQrMatrix(payload, { ecc: logo === undefined ? 'medium' : 'high' })
        const [foreground, background] = pair
        const size = (matrix.length + 8) * 3
        const svg = renderSvg({ matrix, size, foreground, background, logo })
        await expectImageReadable(payload, Buffer.from(svg))
      },
    )
  })

  test.for([
    [20, 'high'],
    [400, 'high'],
    [1273, 'high'],
    [2331, 'medium'],
    [2953, 'medium'],
  ] as const)('of %i bytes at the smallest size', async ([length, ecc], { logos }) => {
    const payload = 'aB3/'.repeat(length).slice(0, length)
    const matrix = createQrMatrix(payload, { ecc })
    const logo = ecc === 'high' ? logos[3] : undefined
    await expectReadable(payload, { matrix, size: 100, foreground: black, background: white, logo })
  })

  test('of a code with a white logo on a tinted background, at multiples of 8 pixels', async ({
    logos,
  }) => {
    const payload = 'https://example.com/tint'
    const matrix = createQrMatrix(payload, { ecc: 'high' })
    const colors = { foreground: [16, 90, 37], background: [175, 230, 152] } as const
    for (const scale of [4, 8, 16]) {
      const size = (matrix.length + 8) * scale
      await expectReadable(payload, { matrix, size, ...colors, logo: logos[2] })
    }
  })

  test('of a code with the lowest contrast allowed', async ({ logos: _loadsReader }) => {
    const payload = 'https://example.com/contrast'
    const matrix = createQrMatrix(payload, { ecc: 'medium' })
    const pairs: [Rgb, Rgb][] = [
      [[127, 127, 127], white],
      [black, [98, 98, 98]],
      [[255, 0, 0], white],
      [[140, 90, 255], white],
      [[0, 150, 60], white],
      [
        [0, 0, 255],
        [110, 180, 110],
      ],
      [
        [130, 0, 0],
        [255, 110, 60],
      ],
      [
        [0, 0, 140],
        [210, 80, 80],
      ],
    ]
    for (const [foreground, background] of pairs) {
      expect(isScannable([foreground, background])).toBe(true)
      expect(computeContrastRatio(foreground, background)).toBeLessThan(4.5)
      await expectReadable(payload, { matrix, size: 150, foreground, background })
    }
  })
})

/** Checks a property for values from a fixed seed, so that failures can be reproduced. */
function check<T>(values: fc.Arbitrary<T>, numRuns: number, property: (value: T) => Promise<void>) {
  return fc.assert(fc.asyncProperty(values, property), { numRuns, seed: 18004 })
}

async function expectReadable(payload: string, image: CodeImage): Promise<void> {
  await expectImageReadable(payload, await renderPng(image))
}

async function expectImageReadable(payload: string, file: Buffer): Promise<void> {
  const { data, info } = await sharp(file).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const pixels = new Uint8ClampedArray(data)
  const { width, height } = info
  const jsqrResult = jsqr.default(pixels, width, height, { inversionAttempts: 'dontInvert' })
  const [zxingResult] = await readBarcodes(
    { data: pixels, width, height, colorSpace: 'srgb' },
    { formats: ['QRCode'], tryInvert: false, textMode: 'Plain' },
  )
  expect({ jsqr: jsqrResult?.data, zxing: zxingResult?.text }).toEqual({
    jsqr: payload,
    zxing: payload,
  })
}

async function createLogo(width: number, height: number, background: string): Promise<Buffer> {
  const image = sharp({ create: { width, height, channels: 3, background } })
  return normalizeLogo(await image.png().toBuffer())
}

/** Creates the worst possible logo: a checkerboard with as many edges as the code itself. */
async function createCheckerboardLogo(): Promise<Buffer> {
  const pixels = Uint8Array.from({ length: 64 * 64 }, (_, index) => {
    const column = (index % 64) >> 3
    const row = index >> 9
    return ((column + row) % 2) * 255
  })
  const image = sharp(pixels, { raw: { width: 64, height: 64, channels: 1 } })
  return normalizeLogo(await image.jpeg().toBuffer())
}

function colorChannel() {
  return fc.nat({ max: 255 })
}

function isScannable([foreground, background]: [Rgb, Rgb]): boolean {
  try {
    checkColors(`rgb(${foreground.join(',')})`, `rgb(${background.join(',')})`)
    return true
  } catch {
    return false
  }
}

import { deflateSync } from 'node:zlib'
import sharp, { type JpegOptions } from 'sharp'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  createChunk,
  createHeader,
  createPixels,
  createPng,
  createSegment,
  createTextBomb,
  insertSegments,
} from '../../test/fixtures/hostile-pictures.ts'
import { createBareEnvironment } from '../config.ts'
import type { DecoderReply } from './logo-process.ts'
import { createLogoDecoder } from './logo-process.ts'

const END = createChunk('IEND')
const WIDE_HEADER = createHeader({ width: 16_000_000, height: 1, depth: 16, color: 6 })
const PROFILE = createSegment(0xe2, Buffer.alloc(65_000, 'x'))
/** The memory limit of the process in bytes, plus what it allocates before it is killed. */
const MAX_PEAK_BYTES = 250_000_000
const UNREADABLE = 'logo must be a png or jpg image that can be read'

/** Starts a decoder. `replies` receives the replies of its process. */
function startDecoder() {
  const replies: DecoderReply[] = []
  const decoder = createLogoDecoder({
    env: createBareEnvironment(),
    onReply: (reply) => replies.push(reply),
  })
  onTestFinished(() => decoder.close())
  return { decoder, replies }
}

describe('the process that decodes logos', () => {
  test.for([
    [
      'a text',
      () => createPng(createHeader(), createChunk('IDAT', compressZeros(500_000_000)), END),
      8,
    ],
    [
      'a color profile',
      () =>
        createPng(
          createHeader(),
          createChunk('iCCP', createColorProfile(500_000_000)),
          createPixels(),
          END,
        ),
      8,
    ],
    ['profiles', async () => insertSegments(await createJpeg(), ...Array(15).fill(PROFILE)), 40],
    ['interlaced pixels', () => createInterlacedPng(2400), 400],
  ] as const)(
    'accepts an image with %s that decompresses to a large size',
    async ([, createImage, width]) => {
      const { decoder, replies } = startDecoder()
      const image = await createImage()
      expect(image.length).toBeLessThan(1_048_576)
      expect((await sharp(await decoder.decode(1, image)).metadata()).width).toBe(width)
      expect(replies[0]?.peak).toBeLessThan(MAX_PEAK_BYTES)
    },
  )

  test.for([
    ['texts of 900 MB', () => createTextBomb(), 'takes too much memory to read'],
    [
      'a very long row',
      () => createPng(WIDE_HEADER, createPixels(128_000_001), END),
      'takes too much memory to read',
    ],
    ['many interlaced pixels', () => createInterlacedPng(4000), 'takes too much memory to read'],
    [
      'more pixels than are allowed',
      () => createPng(createHeader({ width: 4001, height: 4000 }), createPixels(), END),
      'must have at most 16 million pixels',
    ],
    [
      'thousands of scans',
      async () => repeatLastScan(await createJpeg({ progressive: true }), 3000),
      'must be a png or jpg image that can be read',
    ],
  ] as const)('rejects an image with %s', async ([, createImage, problem]) => {
    const { decoder, replies } = startDecoder()
    const image = await createImage()
    expect(image.length).toBeLessThan(1_048_576)
    await expect(decoder.decode(1, image)).rejects.toMatchObject({
      code: 'invalid_input',
      message: `logo ${problem}`,
    })
    expect(replies[0]?.peak).toBeLessThan(MAX_PEAK_BYTES)
  })

  test('rejects an image with missing pixels, and is not used for other kinds of files', async () => {
    const { decoder, replies } = startDecoder()
    const incomplete = createPng(createHeader({ width: 99, height: 99 }), createPixels(), END)
    await expect(decoder.decode(1, incomplete)).rejects.toThrow(UNREADABLE)
    await expect(decoder.decode(1, Buffer.from('<svg/>'))).rejects.toThrow('a png or jpg image')
    expect(replies).toHaveLength(1)
  })

  test('decodes one image at a time and lets accounts take turns', async () => {
    const { decoder } = startDecoder()
    const image = createPng(createHeader(), createPixels(), END)
    const order: number[] = []
    await Promise.all(
      [1, 1, 1, 2].map(async (account) => {
        await decoder.decode(account, image)
        order.push(account)
      }),
    )
    // The single image of account 2 does not wait for all images of account 1.
    expect(order.lastIndexOf(1)).toBe(3)
  })

  test('ends on close and does not start again', async () => {
    const { decoder, replies } = startDecoder()
    const image = createPng(createHeader(), createPixels(), END)
    const all = [1, 1, 2].map((account) => decoder.decode(account, image))
    const rejected = Promise.allSettled(all)
    decoder.close()
    for (const result of await rejected) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'busy' } })
    }
    await expect(decoder.decode(3, image)).rejects.toMatchObject({ code: 'busy' })
    expect(replies).toEqual([])
  })

  test('does not reject the image as invalid if it cannot be started', async () => {
    const decoder = createLogoDecoder({ env: { NODE_OPTIONS: '--no-such-option' } })
    onTestFinished(() => decoder.close())
    const image = createPng(createHeader(), createPixels(), END)
    await expect(decoder.decode(1, image)).rejects.not.toMatchObject({ code: 'invalid_input' })
  })
})

/** Returns an interlaced PNG, which a decoder must hold in memory as a whole. */
function createInterlacedPng(side: number): Buffer {
  return createPng(
    createHeader({ width: side, height: side, color: 6, interlace: 1 }),
    // Four bytes per pixel, and enough for the filter bytes of the rows of all passes.
    createPixels(4 * side * side + 4 * side * 8),
    END,
  )
}

/** Returns the content of an iCCP chunk: a name, a compression method and a profile. */
function createColorProfile(length: number): Buffer {
  return Buffer.concat([Buffer.from('x\0\0', 'latin1'), compressZeros(length)])
}

function compressZeros(length: number): Buffer {
  return deflateSync(Buffer.alloc(length), { level: 9 })
}

function createJpeg(options: JpegOptions = {}): Promise<Buffer> {
  const create = { width: 40, height: 20, channels: 3, background: '#369' } as const
  return sharp({ create }).jpeg(options).toBuffer()
}

/** Returns the progressive JPEG with its last scan repeated `count` times. */
function repeatLastScan(bytes: Buffer, count: number): Buffer {
  const scan = bytes.subarray(bytes.lastIndexOf(Buffer.from([0xff, 0xda])), -2)
  return Buffer.concat([bytes.subarray(0, -2), ...Array(count).fill(scan), bytes.subarray(-2)])
}

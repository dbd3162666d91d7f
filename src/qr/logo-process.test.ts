import { deflateSync } from 'node:zlib'
import sharp, { type JpegOptions } from 'sharp'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createBareEnvironment } from '../config.ts'
import type { DecoderReply } from './decoder-reply.ts'
import {
  createChunk,
  createHeader,
  createPixels,
  createPng,
  createSegment,
  createTextBomb,
  insertSegments,
} from './drawing/hostile-pictures.fixture.ts'
import { createLogoDecoder } from './logo-process.ts'

const end = createChunk('IEND')
const wide = createHeader({ width: 16_000_000, height: 1, depth: 16, color: 6 })
const PROFILE = createSegment(0xe2, Buffer.alloc(65_000, 'x'))
/** The limit, plus allocations before the process is killed. */
const MAX_PEAK = 250_000_000
const unreadable = 'logo must be a png or jpg image that can be read'

function start() {
  const replies: DecoderReply[] = []
  const decoder = createLogoDecoder({
    env: createBareEnvironment(),
    onReply: (reply) => replies.push(reply),
  })
  onTestFinished(() => decoder.close())
  return { decoder, replies }
}

describe('the process that decodes a logo', () => {
  test.for([
    ['a text', () => createPng(createHeader(), createChunk('IDAT', zeros(500_000_000)), end), 8],
    [
      'a color profile',
      () =>
        createPng(createHeader(), createChunk('iCCP', profile(500_000_000)), createPixels(), end),
      8,
    ],
    ['profiles', async () => insertSegments(await jpeg(), ...Array(15).fill(PROFILE)), 40],
    ['passes', () => interlaced(2400), 400],
  ] as const)(
    'accepts an image with %s that decompresses to a large size',
    async ([, make, width]) => {
      const { decoder, replies } = start()
      const picture = await make()
      expect(picture.length).toBeLessThan(1_048_576)
      expect((await sharp(await decoder.decode(1, picture)).metadata()).width).toBe(width)
      expect(replies[0]?.peak).toBeLessThan(MAX_PEAK)
    },
  )

  test.for([
    ['texts of 900 MB', () => createTextBomb(), 'takes too much memory to read'],
    [
      'a very long row',
      () => createPng(wide, createPixels(128_000_001), end),
      'takes too much memory to read',
    ],
    ['passes over many pixels', () => interlaced(4000), 'takes too much memory to read'],
    [
      'more pixels than are allowed',
      () => createPng(createHeader({ width: 4001, height: 4000 }), createPixels(), end),
      'must have at most 16 million pixels',
    ],
    [
      'thousands of scans',
      async () => withScans(await jpeg({ progressive: true }), 3000),
      'must be a png or jpg image that can be read',
    ],
  ] as const)('rejects an image with %s', async ([, make, problem]) => {
    const { decoder, replies } = start()
    const picture = await make()
    expect(picture.length).toBeLessThan(1_048_576)
    await expect(decoder.decode(1, picture)).rejects.toMatchObject({
      code: 'invalid_input',
      message: `logo ${problem}`,
    })
    expect(replies[0]?.peak).toBeLessThan(MAX_PEAK)
  })

  test('rejects an image with missing pixels, and does not start for other files', async () => {
    const { decoder, replies } = start()
    const short = createPng(createHeader({ width: 99, height: 99 }), createPixels(), end)
    await expect(decoder.decode(1, short)).rejects.toThrow(unreadable)
    await expect(decoder.decode(1, Buffer.from('<svg/>'))).rejects.toThrow('a png or jpg image')
    expect(replies).toHaveLength(1)
  })

  test('decodes one image at a time and lets accounts take turns', async () => {
    const { decoder } = start()
    const picture = createPng(createHeader(), createPixels(), end)
    const order: number[] = []
    await Promise.all(
      [1, 1, 1, 2].map(async (account) => {
        await decoder.decode(account, picture)
        order.push(account)
      }),
    )
    expect(order.lastIndexOf(1)).toBe(3)
  })

  test('ends on close and does not start again', async () => {
    const { decoder, replies } = start()
    const picture = createPng(createHeader(), createPixels(), end)
    const all = [1, 1, 2].map((account) => decoder.decode(account, picture))
    const rejected = Promise.allSettled(all)
    decoder.close()
    for (const result of await rejected) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'busy' } })
    }
    await expect(decoder.decode(3, picture)).rejects.toMatchObject({ code: 'busy' })
    expect(replies).toEqual([])
  })

  test('is reported as a failure of the service if it cannot be started', async () => {
    const decoder = createLogoDecoder({ env: { NODE_OPTIONS: '--no-such-option' } })
    onTestFinished(() => decoder.close())
    const picture = createPng(createHeader(), createPixels(), end)
    await expect(decoder.decode(1, picture)).rejects.not.toMatchObject({ code: 'invalid_input' })
  })
})

/** Returns an interlaced PNG, which a decoder must hold in memory as a whole. */
function interlaced(side: number): Buffer {
  return createPng(
    createHeader({ width: side, height: side, color: 6, interlace: 1 }),
    createPixels(4 * side * side + 4 * side * 8),
    end,
  )
}

function profile(length: number): Buffer {
  return Buffer.concat([Buffer.from('x\0\0', 'latin1'), zeros(length)])
}

function zeros(length: number): Buffer {
  return deflateSync(Buffer.alloc(length), { level: 9 })
}

function jpeg(options: JpegOptions = {}): Promise<Buffer> {
  const create = { width: 40, height: 20, channels: 3, background: '#369' } as const
  return sharp({ create }).jpeg(options).toBuffer()
}

/** Returns the same progressive JPEG with its last scan repeated. */
function withScans(bytes: Buffer, count: number): Buffer {
  const scan = bytes.subarray(bytes.lastIndexOf(Buffer.from([0xff, 0xda])), -2)
  return Buffer.concat([bytes.subarray(0, -2), ...Array(count).fill(scan), bytes.subarray(-2)])
}

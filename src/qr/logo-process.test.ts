import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { describe, expect, onTestFinished, test } from 'vitest'
import { bareEnvironment } from '../config.ts'
import type { DecoderReply } from './decoder-reply.ts'
import {
  chunk,
  header,
  pixels,
  png,
  segment,
  textBomb,
  withSegments,
} from './drawing/hostile-pictures.fixture.ts'
import { createLogoDecoder } from './logo-process.ts'

const end = chunk('IEND')
const unreadable = 'logo must be a png or jpg image that can be read'

function start() {
  const replies: DecoderReply[] = []
  const decoder = createLogoDecoder({
    env: bareEnvironment(),
    onReply: (reply) => replies.push(reply),
  })
  onTestFinished(() => decoder.close())
  return { decoder, replies }
}

describe('the process that decodes a logo', () => {
  test('keeps to its memory, whatever a picture of a megabyte unpacks to', async () => {
    const { decoder, replies } = start()
    const { width, height } = { width: 2400, height: 2400 }
    const bytes = await sharp({
      create: { width: 40, height: 20, channels: 3, background: '#369' },
    })
      .jpeg()
      .toBuffer()
    const comments = Array(15).fill(segment(0xe2, Buffer.alloc(65_000, 'x')))
    for (const [picture, side] of [
      [textBomb(), 8],
      [withSegments(bytes, ...comments), 40],
      [
        png(
          header({ width, height, color: 6, interlace: 1 }),
          pixels(interlaced(width, height)),
          end,
        ),
        400,
      ],
    ] as const) {
      expect(picture.length).toBeLessThan(1_048_576)
      const logo = await decoder.decode(1, picture)
      expect((await sharp(logo).metadata()).width).toBe(side)
    }
    for (const picture of [
      png(header({ width: 16_000_000, height: 1, depth: 16, color: 6 }), pixels(), end),
      png(header({ width: 2 ** 31 - 1, height: 2 ** 31 - 1 }), pixels(), end),
    ]) {
      await expect(decoder.decode(1, picture)).rejects.toMatchObject({ code: 'invalid_input' })
    }
    expect(replies).toHaveLength(5)
    for (const { peak } of replies) {
      expect(peak).toBeGreaterThan(20_000_000)
      expect(peak).toBeLessThan(150_000_000)
    }
  })

  test('reads no further than the pixels that a picture has', async () => {
    const { decoder, replies } = start()
    const zeros = deflateSync(Buffer.alloc(500_000_000), { level: 9 })
    const logo = await decoder
      .decode(1, png(header(), chunk('IDAT', zeros), end))
      .catch((error: unknown) => error)
    expect(logo instanceof Buffer || logo).toSatisfy(
      (it: true | { message: string }) => it === true || it.message === unreadable,
    )
    expect(replies[0]?.peak).toBeLessThan(150_000_000)
  })

  test('refuses what has too few pixels, and is not started for what is no picture', async () => {
    const { decoder, replies } = start()
    const short = png(header({ width: 99, height: 99 }), pixels(), end)
    await expect(decoder.decode(1, short)).rejects.toThrow(unreadable)
    await expect(decoder.decode(1, Buffer.from('<svg/>'))).rejects.toThrow('a png or jpg image')
    expect(replies).toHaveLength(1)
  })

  test('takes one picture at once, and accounts in turns', async () => {
    const { decoder } = start()
    const picture = png(header(), pixels(), end)
    const order: number[] = []
    await Promise.all(
      [1, 1, 1, 2].map(async (account) => {
        await decoder.decode(account, picture)
        order.push(account)
      }),
    )
    expect(order.lastIndexOf(1)).toBe(3)
  })

  test('is ended by closing, and then not started again', async () => {
    const { decoder, replies } = start()
    const picture = png(header(), pixels(), end)
    const all = [1, 1, 2].map((account) => decoder.decode(account, picture))
    const refused = Promise.allSettled(all)
    decoder.close()
    for (const result of await refused) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'busy' } })
    }
    await expect(decoder.decode(3, picture)).rejects.toMatchObject({ code: 'busy' })
    expect(replies).toEqual([])
  })

  test('that cannot be started is a fault of the service and not of the picture', async () => {
    const decoder = createLogoDecoder({ env: { NODE_OPTIONS: '--no-such-option' } })
    onTestFinished(() => decoder.close())
    const picture = png(header(), pixels(), end)
    await expect(decoder.decode(1, picture)).rejects.not.toMatchObject({ code: 'invalid_input' })
  })
})

/** Bytes of all passes of an interlaced picture with four channels of 8 bits. */
function interlaced(width: number, height: number): number {
  const passes = [
    [0, 0, 8, 8],
    [4, 0, 8, 8],
    [0, 4, 4, 8],
    [2, 0, 4, 4],
    [0, 2, 2, 4],
    [1, 0, 2, 2],
    [0, 1, 1, 2],
  ] as const
  return passes
    .map(([x, y, dx, dy]) => (4 * Math.ceil((width - x) / dx) + 1) * Math.ceil((height - y) / dy))
    .reduce((sum, bytes) => sum + bytes, 0)
}

import { inflateSync } from 'node:zlib'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { chunk, header, pixels, png, textBomb } from './hostile-pictures.fixture.ts'
import { cleanPng } from './png-chunks.ts'

const end = chunk('IEND')
const plain = png(header(), pixels(), end)
const unreadable = 'must be a png or jpg image that can be read'

describe('a PNG', () => {
  test('keeps what its pixels are made of and loses the rest', () => {
    const palette = chunk('PLTE', Buffer.alloc(6))
    const kept = [
      header({ color: 3 }),
      chunk('gAMA', Buffer.alloc(4)),
      chunk('cHRM', Buffer.alloc(32)),
      chunk('sRGB', Buffer.alloc(1)),
      palette,
      chunk('tRNS', Buffer.alloc(2)),
      pixels(),
      chunk('IDAT'),
    ]
    const dropped = ['zTXt', 'iTXt', 'tEXt', 'iCCP', 'eXIf', 'acTL', 'fcTL', 'fdAT', 'xxXx', 'pHYs']
    const mixed = kept.flatMap((one, at) => [one, chunk(dropped[at] ?? 'tIME', Buffer.alloc(99))])
    const bytes = Buffer.concat([png(...mixed, end), Buffer.from('more behind its end')])
    expect(cleanPng(bytes)).toEqual(png(...kept, end))
  })

  test('with texts that unpack to 900 MB is a few bytes', () => {
    const bomb = textBomb()
    expect(bomb.length).toBeGreaterThan(850_000)
    expect(cleanPng(bomb)).toEqual(plain)
  })

  test('of any program is still read as it was', async () => {
    for (const options of [
      {},
      { progressive: true },
      { palette: true },
      { palette: true, bitdepth: 1 as const },
    ]) {
      const bytes = await sharp({
        create: { width: 9, height: 7, channels: 4, background: '#36c8' },
      })
        .png(options)
        .toBuffer()
      const [before, after] = await Promise.all(
        [bytes, cleanPng(bytes)].map((it) => sharp(it).raw().toBuffer()),
      )
      expect(after).toEqual(before)
    }
  })

  test.each<[string, Buffer]>([
    ['is its signature alone', png()],
    ['has no end', png(header(), pixels())],
    ['breaks off in a chunk', plain.subarray(0, -20)],
    ['breaks off in its last checksum', plain.subarray(0, -1)],
    ['has no pixels', png(header(), end)],
    ['has no header', png(pixels(), end)],
    ['has two headers', png(header(), header(), pixels(), end)],
    ['begins with another chunk', png(chunk('gAMA', Buffer.alloc(4)), header(), pixels(), end)],
    ['has a chunk that it cannot be read without', png(header(), chunk('CgBI'), pixels(), end)],
    ['has a chunk of no type', png(header(), chunk('a b!'), pixels(), end)],
    ['has too long a palette', png(header(), chunk('PLTE', Buffer.alloc(769)), pixels(), end)],
    ['has a short header', png(chunk('IHDR', Buffer.alloc(12)), pixels(), end)],
    [
      'has a chunk longer than itself',
      png(header(), Buffer.from('\xff\xff\xff\xffIDAT', 'latin1'), end),
    ],
    ['has no width', png(header({ width: 0 }), pixels(), end)],
    ['has no height', png(header({ height: 0 }), pixels(), end)],
    ['has an unknown colour type', png(header({ color: 5 }), pixels(), end)],
    ['has a depth its colours cannot have', png(header({ depth: 4 }), pixels(), end)],
    ['is compressed in an unknown way', png(header({ compression: 1 }), pixels(), end)],
    ['is filtered in an unknown way', png(header({ filter: 1 }), pixels(), end)],
    ['is interlaced in an unknown way', png(header({ interlace: 2 }), pixels(), end)],
  ])('that %s is refused', (_name, bytes) => {
    expect(() => cleanPng(bytes)).toThrow(unreadable)
  })

  test('that is damaged is refused, unless what is damaged is dropped', () => {
    const damaged = (type: string) => {
      const bytes = png(header(), chunk('tEXt', Buffer.alloc(9)), pixels(), end)
      const at = bytes.indexOf(type) + 4
      bytes[at] = (bytes[at] ?? 0) ^ 1
      return bytes
    }
    for (const type of ['IHDR', 'IDAT', 'IEND']) {
      expect(() => cleanPng(damaged(type))).toThrow(unreadable)
    }
    expect(cleanPng(damaged('tEXt'))).toEqual(plain)
  })

  test.each([
    [{ width: 4001, height: 4000 }, 'must have at most 16 million pixels'],
    [{ width: 2 ** 31 - 1, height: 2 ** 31 - 1 }, 'must have at most 16 million pixels'],
    [{ width: 8001, height: 1 }, 'must have at most 8000 pixels on each side'],
    [{ width: 1, height: 8001 }, 'must have at most 8000 pixels on each side'],
    [{ width: 4000, height: 4000, depth: 16, color: 6 }, 'has too many pixels for 16 bits each'],
    [{ width: 4001, height: 1, depth: 16, color: 6 }, 'has too many pixels for 16 bits each'],
    [
      { width: 2500, height: 2500, color: 6, interlace: 1 },
      'has too many pixels for an interlaced or progressive picture',
    ],
  ])('of %o says what is too much', (fields, problem) => {
    expect(() => cleanPng(png(header(fields), pixels(), end))).toThrow(problem)
  })
})

test('the texts of the test unpack to what they claim', () => {
  const bomb = textBomb(1)
  const at = bomb.indexOf('zTXt')
  const packed = bomb.subarray(at + 4 + 9, at + 4 + bomb.readUInt32BE(at - 4))
  expect(inflateSync(packed)).toHaveLength(50_000_000)
})

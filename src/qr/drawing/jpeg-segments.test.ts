import sharp, { type JpegOptions } from 'sharp'
import { describe, expect, test } from 'vitest'
import { exif, segment, withSegments } from './hostile-pictures.fixture.ts'
import { cleanJpeg } from './jpeg-segments.ts'

const unreadable = 'must be a png or jpg image that can be read'
const APP1 = 0xe1
const COMMENT = 0xfe

describe('a JPEG', () => {
  test('loses profiles, previews, comments and what follows its end', async () => {
    const bytes = await noise()
    const full = Buffer.alloc(65_533, 'x')
    const padded = Buffer.concat([
      withSegments(
        bytes,
        ...Array(6).fill(segment(0xe2, full)),
        ...Array(6).fill(segment(COMMENT, full)),
        segment(APP1, Buffer.from('http://ns.adobe.com/xap/1.0/\0<x/>')),
        segment(0xe0, Buffer.from('JFXX\0')),
        segment(0xee, Buffer.from('other')),
      ),
      Buffer.alloc(100_000),
    ])
    expect(cleanJpeg(bytes).bytes).toEqual(bytes)
    expect(cleanJpeg(padded)).toEqual({ bytes, orientation: 1 })
  })

  test.each<[string, JpegOptions, 'srgb' | 'cmyk' | 'b-w']>([
    ['baseline', {}, 'srgb'],
    ['progressive', { progressive: true }, 'srgb'],
    ['optimised', { mozjpeg: true }, 'srgb'],
    ['grey', {}, 'b-w'],
    ['for printers', {}, 'cmyk'],
    ['for printers, progressive', { progressive: true }, 'cmyk'],
    ['full colour', { chromaSubsampling: '4:4:4' }, 'srgb'],
  ])('that is %s is read as it was', async (_name, options, space) => {
    const bytes = await noise(options, space)
    const [before, after] = await Promise.all(
      [bytes, cleanJpeg(bytes).bytes].map((it) => sharp(it).raw().toBuffer()),
    )
    expect(after).toEqual(before)
  })

  test('with restart marks and filling between its segments is read', async () => {
    const bytes = await noise()
    const scan = bytes.indexOf(Buffer.from([0xff, 0xda]))
    const filled = Buffer.concat([
      bytes.subarray(0, scan),
      segment(0xdd, Buffer.from([0, 1])),
      Buffer.from([0xff, 0xff]),
      bytes.subarray(scan, -2),
      Buffer.from([0xff, 0xd0, 1, 2, 3, 0xff, 0xd9]),
    ])
    expect(cleanJpeg(filled).bytes.subarray(-7)).toEqual(filled.subarray(-7))
  })

  test.each(['II', 'MM'] as const)('says how it lies, in the byte order %s', async (order) => {
    const bytes = await noise()
    for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8]) {
      expect(cleanJpeg(withSegments(bytes, exif(orientation, order)))).toEqual({
        bytes,
        orientation,
      })
    }
  })

  test('lies upright where nothing sensible is said', async () => {
    const bytes = await noise()
    const cut = exif(6).subarray(4)
    const changed = (at: number, value: number) => {
      const data = Buffer.from(cut)
      data[6 + at] = value
      return data
    }
    for (const data of [
      Buffer.alloc(0),
      Buffer.from('Exif\0\0'),
      cut.subarray(0, 16),
      changed(0, 0x50),
      changed(4, 0xff),
      changed(9, 0),
      changed(13, 4),
      changed(19, 9),
      changed(19, 0),
    ]) {
      expect(cleanJpeg(withSegments(bytes, segment(APP1, data))).orientation).toBe(1)
    }
    expect(cleanJpeg(withSegments(bytes, segment(APP1, changed(9, 255)))).orientation).toBe(6)
  })

  test('is refused where it is no picture that can be read', async () => {
    const bytes = await noise()
    const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]))
    const scan = bytes.indexOf(Buffer.from([0xff, 0xda]))
    const frameOf = bytes.subarray(frame, frame + 2 + bytes.readUInt16BE(frame + 2))
    const changed = (at: number, ...values: number[]) => {
      const copy = Buffer.from(bytes)
      copy.set(values, frame + at)
      return copy
    }
    const hostile: Record<string, Buffer> = {
      'a mark alone': Buffer.from([0xff, 0xd8, 0xff]),
      'nothing but an end': Buffer.from([0xff, 0xd8, 0xff, 0xd9]),
      'broken off in a segment': bytes.subarray(0, 30),
      'broken off between segments': bytes.subarray(0, scan),
      'broken off in its pixels': bytes.subarray(0, -40),
      'broken off before its end': bytes.subarray(0, -2),
      'broken off in its last mark': bytes.subarray(0, -1),
      'bytes between segments': withSegments(bytes, Buffer.from('xx')),
      'a segment shorter than its length': withSegments(bytes, Buffer.from([0xff, COMMENT, 0, 1])),
      'two frames': withSegments(bytes, frameOf),
      'pixels before its frame': Buffer.concat([
        bytes.subarray(0, frame),
        bytes.subarray(scan, -2),
        bytes.subarray(frame),
      ]),
      'arithmetic codes': changed(1, 0xc9),
      'a frame without loss': changed(1, 0xc3),
      'lines counted later': withSegments(bytes, segment(0xdc, Buffer.from([0, 8]))),
      '12 bits': changed(4, 12),
      'no height': changed(5, 0, 0),
      'no width': changed(7, 0, 0),
      'two channels': changed(9, 2),
      'a factor of 0': changed(11, 0x01),
      'a factor of 5': changed(11, 0x51),
    }
    for (const [name, picture] of Object.entries(hostile)) {
      expect(() => cleanJpeg(picture), name).toThrow(unreadable)
    }
  })

  test('with thousands of scans is refused', async () => {
    const bytes = await noise({ progressive: true })
    const scan = bytes.subarray(bytes.lastIndexOf(Buffer.from([0xff, 0xda])), -2)
    const again = (count: number) =>
      Buffer.concat([bytes.subarray(0, -2), ...Array(count).fill(scan), Buffer.from([0xff, 0xd9])])
    expect(cleanJpeg(again(10)).bytes).toEqual(again(10))
    expect(() => cleanJpeg(again(3000))).toThrow(unreadable)
  })

  test.each<[number, number, JpegOptions, string]>([
    [5000, 4000, {}, 'must have at most 16 million pixels'],
    [8001, 1, {}, 'must have at most 8000 pixels on each side'],
    [
      3000,
      2000,
      { progressive: true, chromaSubsampling: '4:4:4' },
      'has too many pixels for an interlaced or progressive picture',
    ],
  ])('of %i by %i pixels %o says what is too much', async (width, height, options, problem) => {
    const bytes = await sharp({ create: { width, height, channels: 3, background: '#369' } })
      .jpeg(options)
      .toBuffer()
    expect(() => cleanJpeg(bytes)).toThrow(problem)
  })
})

function noise(
  options: JpegOptions = {},
  space: 'srgb' | 'cmyk' | 'b-w' = 'srgb',
): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 50 } as const
  return sharp({ create: { width: 33, height: 20, channels: 3, background: '#000', noise } })
    .toColourspace(space)
    .jpeg(options)
    .toBuffer()
}

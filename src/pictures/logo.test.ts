import sharp, { type Sharp } from 'sharp'
import { describe, expect, test } from 'vitest'
import { createExif, insertSegments } from '../../test/fixtures/hostile-pictures.ts'
import { normalizeLogo } from './logo.ts'

describe('a logo', () => {
  test.each([
    [1200, 600, 400, 200],
    [50, 20, 50, 20],
    [400, 401, 399, 400],
    [1, 1, 1, 1],
  ])('of %i by %i pixels is stored as %i by %i', async (width, height, toWidth, toHeight) => {
    for (const bytes of [
      await createPlainImage(width, height).png().toBuffer(),
      await createPlainImage(width, height).jpeg().toBuffer(),
    ]) {
      const meta = await sharp(await normalizeLogo(bytes)).metadata()
      expect(meta).toMatchObject({ format: 'png', width: toWidth, height: toHeight })
    }
  })

  test('keeps its transparency', async () => {
    const bytes = await createPlainImage(8, 8).ensureAlpha(0.5).png().toBuffer()
    expect(await sharp(await normalizeLogo(bytes)).metadata()).toMatchObject({ hasAlpha: true })
  })

  test('is upright, in 8-bit sRGB, without camera metadata', async () => {
    const turned = await createPlainImage(40, 20)
      .withMetadata({ orientation: 6 })
      .withExif({ IFD0: { Copyright: 'Jo' } })
      .jpeg()
      .toBuffer()
    const meta = await sharp(await normalizeLogo(turned)).metadata()
    expect(meta).toMatchObject({ width: 20, height: 40 })
    expect(meta.exif).toBeUndefined()

    for (const bytes of [
      await createPlainImage(8, 8).toColourspace('rgb16').png().toBuffer(),
      await createPlainImage(8, 8).toColourspace('cmyk').jpeg().toBuffer(),
    ]) {
      expect(await sharp(await normalizeLogo(bytes)).metadata()).toMatchObject({
        space: 'srgb',
        depth: 'uchar',
      })
    }
  })
})

test('a logo is rotated for every Exif orientation', async () => {
  const bytes = await createNoiseImage()
    .jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
    .toBuffer()
  for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8]) {
    const turned = insertSegments(bytes, createExif(orientation))
    const expected = await sharp(turned).autoOrient().raw().toBuffer()
    expect(
      await sharp(await normalizeLogo(turned))
        .raw()
        .toBuffer(),
    ).toEqual(expected)
  }
})

describe('an invalid logo', () => {
  const wrongFormat = 'logo must be a png or jpg image'
  const unreadable = 'logo must be a png or jpg image that can be read'

  test.each<[string, () => Promise<Buffer> | Buffer, string]>([
    ['nothing', () => Buffer.alloc(0), wrongFormat],
    ['text', () => Buffer.from('<html>'), wrongFormat],
    ['an SVG', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), wrongFormat],
    ['a GIF', () => createPlainImage(8, 8).gif().toBuffer(), wrongFormat],
    ['a WebP', () => createPlainImage(8, 8).webp().toBuffer(), wrongFormat],
    ['a TIFF', () => createPlainImage(8, 8).tiff().toBuffer(), wrongFormat],
    ['only a signature', () => Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), unreadable],
    ['a damaged PNG', async () => damage(await createNoiseImage().png().toBuffer()), unreadable],
    [
      'a truncated PNG',
      async () => truncate(await createNoiseImage().png().toBuffer()),
      unreadable,
    ],
    [
      'a truncated JPEG',
      async () => truncate(await createNoiseImage().jpeg().toBuffer()),
      unreadable,
    ],
    [
      'an SVG after a JPEG signature',
      () => Buffer.from('\xff\xd8\xff<svg/>', 'latin1'),
      unreadable,
    ],
  ])('is rejected: %s', async (_name, createFile, message) => {
    const rejection = await normalizeLogo(await createFile()).catch((error: unknown) => error)
    expect(rejection).toMatchObject({ code: 'invalid_input', message })
  })

  test('is rejected: a small file with too many pixels', async () => {
    const largeImage = await createPlainImage(5000, 4000).png({ compressionLevel: 9 }).toBuffer()
    expect(largeImage.length).toBeLessThan(1_000_000)
    await expect(normalizeLogo(largeImage)).rejects.toMatchObject({ code: 'invalid_input' })
  })
})

function createPlainImage(width: number, height: number): Sharp {
  return sharp({ create: { width, height, channels: 3, background: '#336699' } })
}

function createNoiseImage(): Sharp {
  return sharp({
    create: {
      width: 64,
      height: 64,
      channels: 3,
      background: '#000',
      noise: { type: 'gaussian', mean: 128, sigma: 50 },
    },
  })
}

/** Flips one bit in the compressed pixels of a PNG. */
function damage(bytes: Buffer): Buffer {
  // Behind the header of the chunk and some pixels.
  const offset = bytes.indexOf('IDAT') + 100
  bytes[offset] = (bytes[offset] ?? 0) ^ 1
  return bytes
}

function truncate(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.length / 2)
}

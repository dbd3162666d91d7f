import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { createFairQueue } from '../concurrency/fair-queue.ts'
import { createLru } from '../concurrency/lru.ts'
import type { Db } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import { type CodeFace, findFace, findFaceWithLogo } from './code-images.queries.ts'
import { checkColors } from './drawing/color.ts'
import { drawStyled } from './drawing/draw-styled.ts'
import { type Ecc, type Matrix, qrMatrix } from './drawing/matrix.ts'
import { renderPng, type ScaleLogo, scaleLogo } from './drawing/render-png.ts'
import { renderSvg } from './drawing/render-svg.ts'
import { type CodeStyle, isPlain, PLAIN_STYLE } from './drawing/style.ts'

export type RequestedImage = {
  format: 'png' | 'svg' | 'pdf'
  /** The width in pixels. It is also the height, unless the code has a frame. */
  size: number
}

/** `body` is undefined if the caller already has this version. */
export type FoundImage = { etag: string; body?: Buffer }

/** The content and style of a code. The logo is in stored form. */
export type UnstoredCode = Pick<CodeFace, 'payload' | 'foreground' | 'background'> & {
  style?: CodeStyle | undefined
  logo?: Buffer | undefined
}

type Dependencies = {
  db: Db
  baseUrl: string
  /** Returns a hash of a visitor's network. */
  hashAddress: (address: string) => string
}

/**
 * The size of the cache for scaled logos. A logo in the largest image takes 1 MB, but a code is
 * usually requested in only a few sizes.
 */
const LOGO_CACHE_BYTES = 8 * 1_048_576

const CACHE_BYTES = 16 * 1_048_576

/**
 * The number of cached layouts. On a busy machine, laying out the largest code takes 35 ms, and
 * drawing it at 300 pixels takes 1 ms.
 */
const CACHED_LAYOUTS = 100

/**
 * Draws images of codes on request. Recent images are cached by their content, so a changed code
 * needs no invalidation. At most two images are drawn at a time, so that threads are left for other
 * work. At most one is drawn per address, so that a flood from one address delays only itself.
 */
export function createCodeImages({ db, baseUrl, hashAddress }: Dependencies) {
  const drawn = new LRUCache<string, Buffer>({
    maxSize: CACHE_BYTES,
    sizeCalculation: (image) => image.length,
  })
  const layouts = createLru<string, Matrix>({ max: CACHED_LAYOUTS })
  const drawing = createFairQueue({ maxRunning: 2, maxWaiting: 256 })
  const drawingLogos = createFairQueue({ maxRunning: 1, maxWaiting: 256 })
  const fitted = new LRUCache<string, Buffer>({
    maxSize: LOGO_CACHE_BYTES,
    sizeCalculation: (pixels) => pixels.length,
  })

  return {
    /**
     * Returns the image of the code with this alias, or null if there is none. `has` returns
     * whether the caller, at `address`, already has the version with an entity tag.
     *
     * @throws AppError `gone` while the account is suspended, `busy` if too many images are being
     * drawn
     */
    async find(
      alias: string,
      request: RequestedImage,
      has: (etag: string) => boolean,
      address: string,
    ): Promise<FoundImage | null> {
      const face = await findFace(db, baseUrl, alias)
      if (!face) return null
      if (face.suspended) throw new AppError('gone')
      const etag = tagOf(face, request)
      if (has(etag)) return { etag }
      const body = drawn.get(etag)
      if (body) return { etag, body }
      const queue = face.logoHash === null ? drawing : drawingLogos
      return queue.run(hashAddress(address), () => drawFresh(alias, request))
    },

    /**
     * Returns the image of a code that is not stored, such as that of a short URL, for the owner at
     * `address`.
     *
     * @throws AppError `invalid_input` naming a color or `data`, `busy` if too many images are
     * being drawn
     */
    async unstored(
      { payload, foreground, background, logo, style = PLAIN_STYLE }: UnstoredCode,
      request: RequestedImage,
      address: string,
    ): Promise<Buffer> {
      const logoHash = logo ? createHash('md5').update(logo).digest('hex') : null
      const face = { payload, foreground, background, logoHash, style, suspended: false }
      const etag = tagOf(face, request)
      const cached = drawn.get(etag)
      if (cached) return cached
      const queue = logo ? drawingLogos : drawing
      return queue.run(hashAddress(address), async () => {
        const body = await draw(face, logo, request)
        drawn.set(etag, body)
        return body
      })
    },
  }

  /** Reads the code again, including its logo, because it may have changed. */
  async function drawFresh(alias: string, request: RequestedImage): Promise<FoundImage | null> {
    const code = await findFaceWithLogo(db, baseUrl, alias)
    if (!code) return null
    const etag = tagOf(code.face, request)
    const body = drawn.get(etag) ?? (await draw(code.face, code.logo, request))
    drawn.set(etag, body)
    return { etag, body }
  }

  async function draw(
    { payload, foreground, background, logoHash, style }: CodeFace,
    logo: Buffer | undefined,
    { format, size }: RequestedImage,
  ): Promise<Buffer> {
    const matrix = layOutOnce(payload, logo ? 'high' : 'medium')
    const image = { matrix, ...checkColors(foreground, background), size, logo }
    if (format === 'pdf' || !isPlain(style)) return drawStyled({ ...image, style }, format)
    if (format === 'svg') return Buffer.from(renderSvg(image))
    return renderPng(image, (png, side) => fitOnce(`${logoHash} ${side}`, png, side))
  }

  async function fitOnce(key: string, ...args: Parameters<ScaleLogo>): Promise<Buffer> {
    const pixels = fitted.get(key) ?? (await scaleLogo(...args))
    fitted.set(key, pixels)
    return pixels
  }

  function layOutOnce(payload: string, ecc: Ecc): Matrix {
    const key = `${ecc} ${payload}`
    const matrix = layouts.get(key) ?? qrMatrix(payload, { ecc })
    layouts.set(key, matrix)
    return matrix
  }
}

/**
 * Returns an entity tag (RFC 9110, section 8.8.3). Two images have the same tag only if they look
 * the same.
 */
function tagOf(
  { payload, foreground, background, logoHash, style }: CodeFace,
  { format, size }: RequestedImage,
): string {
  const content = JSON.stringify([payload, foreground, background, logoHash, style, format, size])
  return `"${createHash('sha256').update(content).digest('base64url')}"`
}

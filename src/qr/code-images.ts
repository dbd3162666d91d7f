import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { createFairQueue } from '../concurrency/fair-queue.ts'
import { createLru } from '../concurrency/memo.ts'
import type { Db } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import { addScanMarker } from '../urls/scan-marker.ts'
import { shortUrlOf } from '../urls/short-url.ts'
import { isEncodedLink } from './code-link.queries.ts'
import { checkColors } from './drawing/color.ts'
import { drawStyled } from './drawing/draw-styled.ts'
import { createQrMatrix, type Ecc, type Matrix } from './drawing/matrix.ts'
import { renderPng, type ScaleLogo, scaleLogo } from './drawing/render-png.ts'
import { renderSvg } from './drawing/render-svg.ts'
import { type CodeStyle, isPlain, PLAIN_STYLE } from './drawing/style.ts'

/** The content and style of a code, which determine its image. */
type CodeAppearance = {
  payload: string
  background: string | undefined
  foreground: string | undefined
  /** The hash of the logo, or null if there is none. */
  logoHash: string | null
  style: CodeStyle
  /** Whether the account is suspended. If so, the image is not shown. */
  isSuspended: boolean
}

export type RequestedImage = {
  format: 'png' | 'svg' | 'pdf'
  /** The width in pixels. It is also the height, unless the code has a frame. */
  size: number
}

/** `body` is undefined if the caller already has this version. */
export type FoundImage = { etag: string; body?: Buffer }

/** The content and style of a code. The logo is in stored form. */
export type UnstoredCode = Pick<CodeAppearance, 'payload' | 'foreground' | 'background'> & {
  style?: CodeStyle | undefined
  logo?: Buffer | undefined
}

type Dependencies = {
  db: Db
  baseUrl: string
  /** Returns a keyed hash of an IP address, or of its /64 network for IPv6. */
  hashAddress: (address: string) => string
}

/**
 * The size of the cache for scaled logos. A logo in the largest image takes 1 MB, but a code is
 * usually requested in only a few sizes.
 */
const LOGO_CACHE_BYTES = 8 * 1_048_576

/** The size of the cache for images. */
const IMAGE_CACHE_BYTES = 16 * 1_048_576

/**
 * The number of cached layouts. On a busy machine, laying out the largest code takes 35 ms, and
 * drawing it at 300 pixels takes 1 ms.
 */
const CACHED_LAYOUTS = 100

/**
 * Creates the source of images of codes. Recent images are cached by their content, so a changed
 * code needs no invalidation. At most two images without a logo and one with a logo are drawn at a
 * time, so that threads are left for other work. At most one is drawn per IP address and kind, so
 * that a flood from one address delays only itself.
 */
export function createCodeImages({ db, baseUrl, hashAddress }: Dependencies) {
  const imageCache = new LRUCache<string, Buffer>({
    maxSize: IMAGE_CACHE_BYTES,
    sizeCalculation: (image) => image.length,
  })
  const layoutCache = createLru<string, Matrix>({ max: CACHED_LAYOUTS })
  const drawingQueue = createFairQueue({ maxRunning: 2, maxWaiting: 256 })
  const logoDrawingQueue = createFairQueue({ maxRunning: 1, maxWaiting: 256 })
  const logoCache = new LRUCache<string, Buffer>({
    maxSize: LOGO_CACHE_BYTES,
    sizeCalculation: (pixels) => pixels.length,
  })

  return {
    /**
     * Returns the image of the code with this alias, or null if there is none. `hasVersion` returns
     * whether the caller already has the version with an entity tag. `address` is the caller's IP
     * address.
     *
     * @throws AppError `gone` while the account is suspended, `busy` if too many images are being
     * drawn
     */
    async find(
      alias: string,
      request: RequestedImage,
      hasVersion: (etag: string) => boolean,
      address: string,
    ): Promise<FoundImage | null> {
      const appearance = await findAppearance(db, baseUrl, alias)
      if (!appearance) return null
      if (appearance.isSuspended) throw new AppError('gone')
      const etag = createEtag(appearance, request)
      if (hasVersion(etag)) return { etag }
      const body = imageCache.get(etag)
      if (body) return { etag, body }
      const queue = appearance.logoHash === null ? drawingQueue : logoDrawingQueue
      return queue.run(hashAddress(address), () => readAndDraw(alias, request))
    },

    /**
     * Draws a code that is not stored, such as one for a short URL. `address` is the owner's IP
     * address.
     *
     * @throws AppError `invalid_input` naming a color or `data`, `busy` if too many images are
     * being drawn
     */
    async drawUnstored(
      { payload, foreground, background, logo, style = PLAIN_STYLE }: UnstoredCode,
      request: RequestedImage,
      address: string,
    ): Promise<Buffer> {
      const logoHash = logo ? createHash('md5').update(logo).digest('hex') : null
      const appearance = { payload, foreground, background, logoHash, style, isSuspended: false }
      const etag = createEtag(appearance, request)
      const cached = imageCache.get(etag)
      if (cached) return cached
      const queue = logo ? logoDrawingQueue : drawingQueue
      return queue.run(hashAddress(address), async () => {
        const body = await draw(appearance, logo, request)
        imageCache.set(etag, body)
        return body
      })
    },
  }

  /** Reads the code again, including its logo, because it may have changed. */
  async function readAndDraw(alias: string, request: RequestedImage): Promise<FoundImage | null> {
    const code = await findAppearanceWithLogo(db, baseUrl, alias)
    if (!code) return null
    const etag = createEtag(code.appearance, request)
    const body = imageCache.get(etag) ?? (await draw(code.appearance, code.logo, request))
    imageCache.set(etag, body)
    return { etag, body }
  }

  async function draw(
    { payload, foreground, background, logoHash, style }: CodeAppearance,
    logo: Buffer | undefined,
    { format, size }: RequestedImage,
  ): Promise<Buffer> {
    const matrix = layOutCached(payload, logo ? 'high' : 'medium')
    const image = { matrix, ...checkColors(foreground, background), size, logo }
    if (format === 'pdf' || !isPlain(style)) return drawStyled({ ...image, style }, format)
    if (format === 'svg') return Buffer.from(renderSvg(image))
    return renderPng(image, (png, side) => scaleLogoCached(`${logoHash} ${side}`, png, side))
  }

  async function scaleLogoCached(key: string, ...args: Parameters<ScaleLogo>): Promise<Buffer> {
    const pixels = logoCache.get(key) ?? (await scaleLogo(...args))
    logoCache.set(key, pixels)
    return pixels
  }

  function layOutCached(payload: string, ecc: Ecc): Matrix {
    const key = `${ecc} ${payload}`
    const matrix = layoutCache.get(key) ?? createQrMatrix(payload, { ecc })
    layoutCache.set(key, matrix)
    return matrix
  }
}

/**
 * Returns an entity tag (RFC 9110, section 8.8.3). Two images have the same tag only if they look
 * the same.
 */
function createEtag(
  { payload, foreground, background, logoHash, style }: CodeAppearance,
  { format, size }: RequestedImage,
): string {
  const content = JSON.stringify([payload, foreground, background, logoHash, style, format, size])
  return `"${createHash('sha256').update(content).digest('base64url')}"`
}

/**
 * Returns the content and style of the code whose image has this alias, or undefined if there is
 * none. Omits the logo, which may be large.
 */
async function findAppearance(
  db: Db,
  baseUrl: string,
  alias: string,
): Promise<CodeAppearance | undefined> {
  const row = await selectAppearances(db, alias).executeTakeFirst()
  return row && toAppearance(row, baseUrl)
}

/** Like `findAppearance`, but also returns the logo. */
async function findAppearanceWithLogo(
  db: Db,
  baseUrl: string,
  alias: string,
): Promise<{ appearance: CodeAppearance; logo: Buffer | undefined } | undefined> {
  const row = await selectAppearances(db, alias).select('qr_codes.logo').executeTakeFirst()
  return row && { appearance: toAppearance(row, baseUrl), logo: row.logo ?? undefined }
}

function selectAppearances(db: Db, alias: string) {
  return db
    .selectFrom('qr_codes')
    .innerJoin('accounts', 'accounts.id', 'qr_codes.account_id')
    .leftJoin('links', (join) => join.on(isEncodedLink))
    .leftJoin('domains', 'domains.id', 'links.domain_id')
    .select([
      'accounts.suspended_at',
      'qr_codes.payload',
      'qr_codes.background',
      'qr_codes.foreground',
      'qr_codes.dots',
      'qr_codes.eyes',
      'qr_codes.caption',
      'links.alias as link_alias',
      'links.kind as link_kind',
      'domains.origin',
      sql<string | null>`md5(qr_codes.logo)`.as('logo_hash'),
    ])
    .where('qr_codes.alias', '=', alias)
}

type AppearanceRow = Awaited<
  ReturnType<ReturnType<typeof selectAppearances>['executeTakeFirstOrThrow']>
>

function toAppearance(row: AppearanceRow, baseUrl: string): CodeAppearance {
  return {
    // A check constraint ensures that there is a payload or a link.
    payload: row.payload ?? getEncodedUrl(row, baseUrl),
    background: row.background ?? undefined,
    foreground: row.foreground ?? undefined,
    logoHash: row.logo_hash,
    style: { dots: row.dots, eyes: row.eyes, caption: row.caption },
    isSuspended: row.suspended_at !== null,
  }
}

/** Returns the URL in the image. All visits of a code's own link are scans, so it has no marker. */
function getEncodedUrl({ origin, link_alias, link_kind }: AppearanceRow, baseUrl: string): string {
  const shortUrl = shortUrlOf(origin ?? baseUrl, link_alias ?? '')
  return link_kind === 'link' ? addScanMarker(shortUrl) : shortUrl
}

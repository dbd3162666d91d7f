import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { invalid } from '../errors.ts'
import type { GuardedFetch } from '../net/guarded-fetch.ts'
import { OutboundError } from '../net/outbound-error.ts'
import { openLogoFile } from './logo-file.ts'
import type { LogoDecoder } from './logo-process.ts'

type Dependencies = {
  outbound: Pick<GuardedFetch, 'fetch'>
  decoder: Pick<LogoDecoder, 'decode'>
  /** The folder of the operator's logos, if there is one. */
  logoDir: string | undefined
}

/** The maximum size of a logo before it is decoded. */
export const MAX_LOGO_BYTES = 1_048_576

/**
 * The size of the cache for uploaded images. The page for choosing a logo sends it again with every
 * preview.
 */
const DECODED_BYTES = 4 * 1_048_576

/**
 * Creates the function that converts a client's logo to the PNG that is stored. The logo is bytes,
 * a URL, or the name of one of the operator's files. The function may take as long as the timeout
 * of outbound requests, so do not call it in a transaction. The reason why a request failed is not
 * revealed, because it would let users explore the operator's network.
 *
 * The function throws AppError `busy` if too many logos are being read, or `invalid_input` naming
 * `logo`.
 */
export function createLogoReader({ outbound, decoder, logoDir }: Dependencies) {
  const decodedCache = new LRUCache<string, Buffer>({
    maxSize: DECODED_BYTES,
    sizeCalculation: (picture) => picture.length,
  })

  return async function readLogo(account: number, logo: string | Buffer): Promise<Buffer> {
    if (typeof logo !== 'string') return decodeOnce(account, logo)
    const bytes = /^https?:\/\//i.test(logo)
      ? await download(account, logo)
      : await openLogoFile(logoDir, logo, MAX_LOGO_BYTES)
    return decoder.decode(account, bytes)
  }

  async function decodeOnce(account: number, bytes: Buffer): Promise<Buffer> {
    if (bytes.length > MAX_LOGO_BYTES) throw invalid('logo', 'at_most_mib', { max: 1 })
    const key = createHash('sha256').update(bytes).digest('base64')
    const picture = decodedCache.get(key) ?? (await decoder.decode(account, bytes))
    decodedCache.set(key, picture)
    return picture
  }

  async function download(account: number, url: string): Promise<Buffer> {
    try {
      const { status, body } = await outbound.fetch(url, { account, maxBytes: MAX_LOGO_BYTES })
      if (status === 200) return body
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
    }
    throw invalid('logo', 'logo_not_fetched')
  }
}

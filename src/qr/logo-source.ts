import { invalid } from '../errors.ts'
import type { GuardedFetch } from '../net/guarded-fetch.ts'
import { OutboundError } from '../net/outbound-error.ts'
import { openLogoFile } from './logo-file.ts'
import type { LogoDecoder } from './logo-process.ts'

export type ReadLogo = ReturnType<typeof createLogoReader>

type Dependencies = {
  outbound: Pick<GuardedFetch, 'fetch'>
  decoder: Pick<LogoDecoder, 'decode'>
  /** The folder of the operator's logos, if there is one. */
  logoDir: string | undefined
}

const MAX_BYTES = 1_048_576

/**
 * Gives the function that turns what a client calls its logo, a URL or the name of one of the
 * operator's files, into the PNG that is stored. It takes up to as long as an outbound request may,
 * so it must not be called inside a transaction. Why a URL gave nothing is told to nobody: it would
 * let a user look into the operator's network.
 *
 * The function throws AppError `invalid_input` naming `logo`, and `busy` when too many logos are
 * being read already.
 */
export function createLogoReader({ outbound, decoder, logoDir }: Dependencies) {
  return async function readLogo(account: number, logo: string): Promise<Buffer> {
    const bytes = /^https?:\/\//i.test(logo)
      ? await download(account, logo)
      : await openLogoFile(logoDir, logo, MAX_BYTES)
    return decoder.decode(account, bytes)
  }

  async function download(account: number, url: string): Promise<Buffer> {
    try {
      const { status, body } = await outbound.fetch(url, { account, maxBytes: MAX_BYTES })
      if (status === 200) return body
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
    }
    throw invalid('logo', 'could not be fetched')
  }
}

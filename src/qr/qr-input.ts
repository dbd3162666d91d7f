import type { BlockList } from '../blocked-hosts/block-list.ts'
import type { Hosts } from '../domains/hosts.ts'
import { invalid } from '../errors.ts'
import { parseShortUrl } from '../links/short-url.ts'
import { parseTargetUrl } from '../target-url.ts'
import { requireText } from '../text.ts'
import { qrPayload } from './content/payload.ts'
import { formatRgb, parseRgb } from './drawing/color.ts'
import type { ReadLogo } from './logo-source.ts'
import type { PreparedQr, QrContent, QrInput } from './qr.ts'

export type ReadQrInput = ReturnType<typeof createQrInputReader>

type Dependencies = {
  hosts: Pick<Hosts, 'resolve'>
  blockList: Pick<BlockList, 'check'>
  readLogo: ReadLogo
  /** Whether the link at this alias of the service's own host belongs to a code. */
  isCodeLink: (alias: string) => Promise<boolean>
}

export const MAX_NAME = 200

/**
 * Gives the function that reads what an account asks of a code. It may fetch the logo, so it must not
 * be called inside a transaction; it does so last, when everything else is good.
 *
 * The function throws AppError `invalid_input` naming the field, and `busy`.
 */
export function createQrInputReader({ hosts, blockList, readLogo, isCodeLink }: Dependencies) {
  return async function read(accountId: number, input: QrInput): Promise<PreparedQr> {
    const { type, name, background, foreground, logo } = input
    const content = await readContent(input)
    const prepared: PreparedQr = { type, content }
    if (name !== undefined) prepared.name = name ? requireText('name', name, MAX_NAME) : null
    if (background !== undefined) prepared.background = readColor('background', background)
    if (foreground !== undefined) prepared.foreground = readColor('foreground', foreground)
    if (logo !== undefined) prepared.logo = logo ? await readLogo(accountId, logo) : null
    return prepared
  }

  async function readContent({ type, data }: QrInput): Promise<QrContent> {
    if (data === undefined || data === null) throw invalid('data', 'is required')
    const payload = qrPayload(type, data)
    if (type !== 'link') return { kind: 'static', payload }
    const target = parseTargetUrl('data', payload)
    if (await leadsToCode(target)) {
      throw invalid('data', 'must not be the address that a QR code leads through')
    }
    await blockList.check('data', target)
    return { kind: 'dynamic', target: target.href }
  }

  /**
   * A code may lead to a short link, which leads away from the service. Were it allowed to lead to a
   * code, itself or another, then codes could be set up that go round in a circle.
   */
  async function leadsToCode({ origin, pathname }: URL): Promise<boolean> {
    const short = parseShortUrl(`${origin}${pathname}`)
    if (!short) return false
    const host = await hosts.resolve(short.host)
    return host.kind === 'service' && isCodeLink(short.alias)
  }
}

function readColor(field: string, color: string | null): string | null {
  return color ? formatRgb(parseRgb(field, color)) : null
}

import type { BlockList } from '../blocked-hosts/block-list.ts'
import type { Db } from '../db/pool.ts'
import type { Hosts } from '../domains/hosts.ts'
import { invalid } from '../errors.ts'
import { createAddressFinder } from '../links/short-link.ts'
import { shortUrlOf } from '../links/short-url.ts'
import { parseTargetUrl } from '../target-url.ts'
import { findLinkAt } from './code-link.queries.ts'
import { qrPayload } from './content/payload.ts'
import type { QrContent, QrInput } from './qr.ts'

export type ReadQrContent = ReturnType<typeof createQrContentReader>

type Dependencies = {
  db: Db
  baseUrl: string
  hosts: Pick<Hosts, 'resolve'>
  blockList: Pick<BlockList, 'check'>
}

/** Characters of what may be a short link. */
const LONGEST_NAME = 2048

/**
 * Makes the function that reads what a code of an account is to say. A link of the account may be named by its
 * short URL, or however people write that.
 *
 * The function throws AppError `invalid_input` naming `data` or what in it is wrong.
 */
export function createQrContentReader({ db, baseUrl, hosts, blockList }: Dependencies) {
  const findAddress = createAddressFinder({ db, hosts })

  return async function readContent(
    accountId: number,
    { type, data }: Pick<QrInput, 'type' | 'data'>,
  ): Promise<QrContent> {
    if (data === undefined || data === null) throw invalid('data', 'is required')
    if (type !== 'link') return { kind: 'static', payload: qrPayload(type, data) }
    const named = await findNamed(accountId, [data].flat())
    if (named) {
      return { kind: 'dynamic', target: named.shortUrl, link: { id: named.id, exact: true } }
    }
    const url = parseTargetUrl('data', qrPayload(type, data))
    const found = await findLink(accountId, `${url.origin}${url.pathname}`)
    // Codes that lead to codes could be set up to go round in a circle.
    if (found?.ofCode) throw invalid('data', 'must not be the address that a QR code leads through')
    await blockList.check('data', url)
    const isOwn = found?.accountId === accountId
    return {
      kind: 'dynamic',
      target: url.href,
      link: isOwn ? { id: found.id, exact: false } : undefined,
    }
  }

  /** The account's link that the data names, and nothing but that. */
  async function findNamed(accountId: number, data: readonly unknown[]) {
    const [text] = data
    const isName = data.length === 1 && typeof text === 'string' && text.length <= LONGEST_NAME
    const found = isName ? await findLink(accountId, text) : undefined
    return found?.accountId === accountId && !found.ofCode ? found : undefined
  }

  /** The link that a text names, whoever's it is; a bare alias only names links of the account. */
  async function findLink(accountId: number, text: string) {
    const address = await findAddress(text, accountId)
    const found = address && (await findLinkAt(db, address.domainId, address.alias))
    return found && { ...found, shortUrl: shortUrlOf(address.origin ?? baseUrl, address.alias) }
  }
}

import type { Context, WebContext } from '../context.ts'
import { unscoped } from '../db/account-rows.ts'
import { checkAll, checkAllAsync, invalid } from '../errors.ts'
import { findAddress } from '../links/short-link.ts'
import type { Scope } from '../scope.ts'
import { requireText } from '../text.ts'
import { isWebUrl, parseDestinationUrl } from '../urls/destination-url.ts'
import { shortUrlOf } from '../urls/short-url.ts'
import { findLinkAt } from './code-link.queries.ts'
import { createQrPayload } from './content/payload.ts'
import { parseCaption } from './drawing/caption-font.ts'
import { checkColors, formatRgb, parseRgb } from './drawing/color.ts'
import { createQrMatrix } from './drawing/matrix.ts'
import { DOTS, EYES, PLAIN_STYLE, parseShape } from './drawing/style.ts'
import type { PreparedQr, QrContent, QrInput } from './qr.ts'

export const MAX_NAME = 200

/**
 * Validates the input for a code. May fetch the logo, so do not call it in a transaction. Fetches
 * the logo last, when everything else is known to be valid.
 *
 * @throws AppError `invalid_input` naming the field, `busy`
 */
export async function readQrInput(scope: Scope<WebContext>, input: QrInput): Promise<PreparedQr> {
  const { type, name, background, foreground, logo, dots, eyes, caption } = input
  const prepared: Partial<PreparedQr> = { type }
  const set =
    <Name extends keyof PreparedQr & keyof QrInput>(name: Name, read: () => PreparedQr[Name]) =>
    () => {
      if (input[name] !== undefined) prepared[name] = read()
    }
  await checkAllAsync(
    async () => {
      prepared.content = await readQrContent(scope, input)
    },
    set('name', () => (name ? requireText('name', name, MAX_NAME) : null)),
    set('background', () => readColor('background', background)),
    set('foreground', () => readColor('foreground', foreground)),
    set('dots', () => parseShape('dots', dots || PLAIN_STYLE.dots, DOTS)),
    set('eyes', () => parseShape('eyes', eyes || PLAIN_STYLE.eyes, EYES)),
    set('caption', () => parseCaption(caption ?? '')),
    async (hasFailed) => {
      if (logo !== undefined) prepared.logo = logo ? await readLogo(scope, logo, hasFailed) : null
    },
    (hasFailed) => hasFailed && checkDrawable(prepared),
  )
  return prepared as PreparedQr
}

/** Reads a logo. Does not fetch one for a code that is rejected anyway. */
async function readLogo(scope: Scope<WebContext>, logo: string | Buffer, isRejected: boolean) {
  const isRemote = typeof logo === 'string' && /^https?:/i.test(logo)
  return isRejected && isRemote ? null : scope.readLogo(scope.accountId, logo)
}

/** Rejects codes that could be stored but not scanned. A short URL always fits. */
export function checkDrawable({
  content,
  background,
  foreground,
  logo,
}: Pick<Partial<PreparedQr>, 'content' | 'background' | 'foreground'> & { logo?: unknown }): void {
  checkAll(
    () => checkColors(foreground ?? undefined, background ?? undefined),
    () =>
      content?.kind === 'static' &&
      createQrMatrix(content.payload, { ecc: logo ? 'high' : 'medium' }),
  )
}

function readColor(field: string, color: string | null | undefined): string | null {
  return color ? formatRgb(parseRgb(field, color)) : null
}

/** The maximum length of a text that may be a short link. */
const MAX_LENGTH = 2048

/**
 * Reads the content of an account's code. The content may refer to one of the account's links by
 * its short URL, in any common spelling.
 *
 * @throws AppError `invalid_input` naming `data` or the invalid part of it
 */
export async function readQrContent(
  scope: Scope<Context>,
  { type, data }: Pick<QrInput, 'type' | 'data'>,
): Promise<QrContent> {
  if (data === undefined || data === null) throw invalid('data', 'required')
  if (type !== 'link') return { kind: 'static', payload: createQrPayload(type, data) }
  const accountLink = await findAccountLink(scope, [data].flat())
  if (accountLink) {
    return {
      kind: 'dynamic',
      destination: accountLink.shortUrl,
      link: { id: accountLink.id, isExact: true },
    }
  }
  const url = parseDestinationUrl('data', createQrPayload(type, data))
  const link = isWebUrl(url) ? await findLink(scope, `${url.origin}${url.pathname}`) : undefined
  // Codes that lead to other codes could form a loop.
  if (link?.isOfCode) throw invalid('data', 'qr_code_url')
  await scope.blockList.check('data', url)
  const isOwn = link?.accountId === scope.accountId
  return {
    kind: 'dynamic',
    destination: url.href,
    link: isOwn ? { id: link.id, isExact: false } : undefined,
  }
}

/** Returns the account's link if the data consists only of its short URL. */
async function findAccountLink(scope: Scope<Context>, data: readonly unknown[]) {
  const [text] = data
  const isName = data.length === 1 && typeof text === 'string' && text.length <= MAX_LENGTH
  const link = isName ? await findLink(scope, text) : undefined
  return link?.accountId === scope.accountId && !link.isOfCode ? link : undefined
}

/**
 * Returns the link to which a text refers, in any account. An alias without a host only refers to
 * links of the account.
 */
async function findLink(scope: Scope<Context>, text: string) {
  const address = await findAddress(scope, unscoped(scope), text, scope.accountId)
  const link = address && (await findLinkAt(unscoped(scope), address.domainId, address.alias))
  const shortUrl = address && shortUrlOf(address.origin ?? scope.config.baseUrl, address.alias)
  return link && shortUrl ? { ...link, shortUrl } : undefined
}

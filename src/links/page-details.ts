import type { Context } from '../context.ts'
import { parseDestinationUrl } from '../destination-url.ts'
import { invalid } from '../errors.ts'
import { OutboundError } from '../net/outbound-error.ts'
import { removeUnstorable } from '../text.ts'
import { MAX_DESCRIPTION, MAX_TITLE } from './rules/lengths.ts'

export type PageDetails = { title: string; description: string }

/** Titles are at the beginning, but the page is fetched as a whole. */
const MAX_PAGE_BYTES = 2 * 1_048_576
/** The number of characters that are searched for a title and meta tags. */
const MAX_HEAD_LENGTH = 512 * 1024
/** The number of characters of a meta tag that are read. */
const MAX_TAG_LENGTH = 8192

/**
 * Returns the title and description of a destination page, or empty strings if it has none. May
 * take as long as the timeout of outbound requests. The reason why a request failed is not
 * revealed, because it would let users explore the operator's network.
 *
 * Throws AppError `busy` if too many requests are waiting, or `invalid_input` naming `url`.
 */
export async function fetchPageDetails(
  { outbound }: Pick<Context, 'outbound'>,
  account: number,
  url: string,
): Promise<PageDetails> {
  const { href } = parseDestinationUrl('url', url)
  try {
    const options = { account, maxBytes: MAX_PAGE_BYTES, headers: { accept: 'text/html' } }
    const { status, contentType, body } = await outbound.fetch(href, options)
    if (status === 200 && /^(text\/html|application\/xhtml\+xml)\b/i.test(contentType)) {
      return readPageDetails(decode(body, contentType))
    }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
  }
  throw invalid('url', 'has no page whose title could be fetched')
}

/**
 * Returns the title and description of an HTML document. Prefers the texts for link previews over
 * those for search engines.
 */
export function readPageDetails(document: string): PageDetails {
  const html = document
    .slice(0, MAX_HEAD_LENGTH)
    .replaceAll(/<!--[\s\S]*?(?:-->|$)|<(script|style|svg|noscript)\b[\s\S]*?(?:<\/\1|$)/gi, '')
  const contents = new Map<string, string>()
  for (const tag of findMetaTags(html)) {
    const name = readAttribute(tag, 'property') ?? readAttribute(tag, 'name')
    const content = readAttribute(tag, 'content')
    if (name && content && !contents.has(name.toLowerCase()))
      contents.set(name.toLowerCase(), content)
  }
  const title = contents.get('og:title') ?? findTitle(html)
  const description = contents.get('og:description') ?? contents.get('description') ?? ''
  return {
    title: toPlainText(title, MAX_TITLE),
    description: toPlainText(description, MAX_DESCRIPTION),
  }
}

// Only searches forward, like `findTitle`, so that a hostile page takes no longer than any other
// page of its size.
function* findMetaTags(html: string): Generator<string> {
  const start = /<meta\s/gi
  while (start.exec(html)) {
    const end = html.indexOf('>', start.lastIndex)
    if (end < 0) return
    yield html.slice(start.lastIndex - 1, Math.min(end, start.lastIndex + MAX_TAG_LENGTH))
    start.lastIndex = end
  }
}

function findTitle(html: string): string {
  const opening = html.search(/<title[\s>]/i)
  const start = opening < 0 ? 0 : html.indexOf('>', opening) + 1
  if (start === 0) return ''
  const length = html.slice(start).search(/<\/title/i)
  return length < 0 ? '' : html.slice(start, start + length)
}

function readAttribute(tag: string, name: string): string | undefined {
  const pattern = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i')
  const [, double, single, bare] = pattern.exec(tag) ?? []
  return double ?? single ?? bare
}

/** Decodes a page by the charset in its header or near its start. Defaults to UTF-8. */
function decode(body: Buffer, contentType: string): string {
  const head = body.subarray(0, 2048).toString('latin1')
  const charsetPattern = /charset=["']?([\w-]+)/i
  const charset = charsetPattern.exec(contentType)?.[1] ?? charsetPattern.exec(head)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset).decode(body)
  } catch {
    return new TextDecoder().decode(body)
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  copy: '©',
  reg: '®',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  middot: '·',
  bull: '•',
  trade: '™',
  euro: '€',
  pound: '£',
}

/** Converts HTML text to plain text on one line. */
function toPlainText(text: string, max: number): string {
  const decoded = text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,8}));/gi, decodeEntity)
  const line = removeUnstorable(decoded).replaceAll(/\s+/g, ' ').trim()
  // A character has at most two UTF-16 units.
  return [...line.slice(0, 2 * max)].slice(0, max).join('')
}

function decodeEntity(entity: string, decimal?: string, hex?: string, name?: string): string {
  if (name) return ENTITIES[name] ?? entity
  const code = decimal ? Number(decimal) : Number.parseInt(hex ?? '', 16)
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ''
}

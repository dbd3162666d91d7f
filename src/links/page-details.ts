import type { Context } from '../context.ts'
import { invalid } from '../errors.ts'
import { OutboundError } from '../net/outbound-error.ts'
import { removeUnstorable } from '../text.ts'
import { parseHttpUrl } from '../urls/destination-url.ts'
import { MAX_DESCRIPTION, MAX_TITLE } from './rules/lengths.ts'

export type PageDetails = { title: string; description: string }

/** Titles are at the beginning, but the page is fetched as a whole. */
const MAX_PAGE_BYTES = 2 * 1_048_576
/** The number of bytes at the beginning of a page that are parsed. */
const MAX_PARSED_BYTES = 65_536

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
  const { href } = parseHttpUrl('url', url)
  try {
    const options = { account, maxBytes: MAX_PAGE_BYTES, headers: { accept: 'text/html' } }
    const { status, contentType, body } = await outbound.fetch(href, options)
    if (status === 200 && /^(text\/html|application\/xhtml\+xml)\b/i.test(contentType)) {
      return await readPageDetails(decode(body, contentType))
    }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
  }
  throw invalid('url', 'no_page_title')
}

/**
 * Returns the title and description in the head of an HTML document. Prefers the texts for link
 * previews over those for search engines.
 */
export async function readPageDetails(document: string): Promise<PageDetails> {
  const { titles, contents } = await readHead(document)
  const title = contents.get('og:title') ?? titles[0] ?? ''
  const description = contents.get('og:description') ?? contents.get('description') ?? ''
  return {
    title: toPlainText(title, MAX_TITLE),
    description: toPlainText(description, MAX_DESCRIPTION),
  }
}

/** Elements whose titles and meta tags are not those of the page. */
const FOREIGN_ELEMENTS: ReadonlySet<string> = new Set(['svg', 'noscript', 'template'])

/**
 * Returns the titles and the contents of meta tags, by name, up to the end of the head. Uses only
 * the tokenizer, whose time is linear. A parser also searches its stack of open elements, so that
 * hostile pages take a hundred times as long as others.
 */
async function readHead(html: string) {
  // Loaded with the first page, because most workers read none.
  const { Tokenizer } = await import('htmlparser2')
  const titles: string[] = []
  const contents = new Map<string, string>()
  let openName = ''
  let foreignElement: string | undefined
  let title: string | undefined
  let attribute = ''
  let value = ''
  let attributes: Map<string, string> | undefined
  const ignore = () => {}

  function endTag(): void {
    if (openName === 'title' && !foreignElement) title = ''
    else if (FOREIGN_ELEMENTS.has(openName)) foreignElement ??= openName
    const name = (attributes?.get('property') ?? attributes?.get('name'))?.toLowerCase()
    const content = attributes?.get('content')
    if (name && content && !contents.has(name)) contents.set(name, content)
  }

  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname(start, end) {
        openName = html.slice(start, end).toLowerCase()
        attributes = openName === 'meta' && !foreignElement ? new Map() : undefined
        if (openName === 'body') tokenizer.pause()
      },
      onattribname(start, end) {
        attribute = attributes ? html.slice(start, end).toLowerCase() : ''
        value = ''
      },
      onattribdata(start, end) {
        if (attributes) value += html.slice(start, end)
      },
      onattribentity(codePoint) {
        if (attributes) value += String.fromCodePoint(codePoint)
      },
      onattribend() {
        if (attributes && !attributes.has(attribute)) attributes.set(attribute, value)
      },
      onopentagend: endTag,
      onselfclosingtag() {
        endTag()
        if (foreignElement === openName) foreignElement = undefined
      },
      onclosetag(start, end) {
        const name = html.slice(start, end).toLowerCase()
        if (name === 'title' && title !== undefined) titles.push(title)
        if (name === foreignElement) foreignElement = undefined
        title = undefined
        if (name === 'head') tokenizer.pause()
      },
      ontext(start, end) {
        if (title !== undefined) title += html.slice(start, end)
      },
      ontextentity(codePoint) {
        if (title !== undefined) title += String.fromCodePoint(codePoint)
      },
      oncdata: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onprocessinginstruction: ignore,
      onend: ignore,
    },
  )
  tokenizer.write(html)
  return { titles, contents }
}

/**
 * Decodes the beginning of a page by the charset in its header or near its start. Defaults to UTF-8.
 */
function decode(page: Buffer, contentType: string): string {
  const body = page.subarray(0, MAX_PARSED_BYTES)
  const head = body.subarray(0, 2048).toString('latin1')
  const charsetPattern = /charset=["']?([\w-]+)/i
  const charset = charsetPattern.exec(contentType)?.[1] ?? charsetPattern.exec(head)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset).decode(body)
  } catch {
    return new TextDecoder().decode(body)
  }
}

/** Returns a text on one line, without characters that cannot be stored. */
function toPlainText(text: string, max: number): string {
  const line = removeUnstorable(text).replaceAll(/\s+/g, ' ').trim()
  // A character has at most two UTF-16 units.
  return [...line.slice(0, 2 * max)].slice(0, max).join('')
}

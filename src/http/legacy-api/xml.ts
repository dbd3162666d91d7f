import XMLBuilder from 'fast-xml-builder'
import { joinChunks } from './chunks.ts'

type Field = string | number | boolean | null
type Item = Readonly<Record<string, Field>>

/** The fields of a reply; a list becomes elements named as the list without its last letter. */
export type XmlData = Readonly<Record<string, Field | readonly Item[]>>

export type XmlMeta = {
  /** The caller's address. */
  client: string
  /** When the reply was made, in Unix seconds. */
  time: number
  code: number
}

const builder = new XMLBuilder({ ignoreAttributes: false, suppressBooleanAttributes: false })

/**
 * Writes a reply of the legacy API as XML 1.0: `message` with the attributes `client` and `time`,
 * in it `response` with `code` and `data`. What XML cannot carry is replaced by U+FFFD.
 */
export function renderXml({ client, time, code, data }: XmlMeta & { data: XmlData }): string {
  const fields = Object.entries(data).map(([name, value]) => [name, toElement(name, value)])
  return build({
    '?xml': { '@_version': '1.0', '@_encoding': 'UTF-8' },
    message: {
      '@_client': toContent(client),
      '@_time': time,
      response: { code, data: Object.fromEntries(fields) },
    },
  })
}

/**
 * Writes the same document as `renderXml` for the data `urls` and `date_time` in chunks, taking
 * the short URLs as they come. An error of the source ends the stream with that error; when the
 * reader stops early, the source is closed too.
 */
export function streamXmlList(
  meta: XmlMeta & { dateTime: string },
  shortUrls: AsyncIterable<string>,
): AsyncGenerator<string> {
  return joinChunks(xmlParts(meta, shortUrls))
}

async function* xmlParts(
  { dateTime, ...meta }: XmlMeta & { dateTime: string },
  shortUrls: AsyncIterable<string>,
) {
  const frame = renderXml({ ...meta, data: { urls: [], date_time: dateTime } })
  // Content is escaped, so the first closing tag of that name is the list's own.
  const gap = frame.indexOf('</urls>')
  yield frame.slice(0, gap)
  for await (const shortUrl of shortUrls) yield build({ url: { short_url: toContent(shortUrl) } })
  yield frame.slice(gap)
}

function toElement(name: string, value: Field | readonly Item[]) {
  return isList(value) ? { [name.slice(0, -1)]: value.map(toItem) } : toContent(value)
}

function isList(value: Field | readonly Item[]): value is readonly Item[] {
  return Array.isArray(value)
}

function toItem(item: Item) {
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, toContent(value)] as const),
  )
}

function toContent(value: Field): string | number | boolean {
  if (value === null) return ''
  return typeof value === 'string' ? replaceForbidden(value) : value
}

/** `Char` of XML 1.0 (fifth edition, 2.2); a lone surrogate is outside of it as well. */
function replaceForbidden(text: string): string {
  return text.replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\u{FFFD}')
}

/**
 * The builder adds no white space of its own, so these characters are always content. Parsers turn
 * a CR into a line feed (XML 1.0, 2.11), and all three into spaces in attributes (3.3.3), unless
 * they are written as references.
 */
function build(document: object): string {
  return builder
    .build(document)
    .replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`)
}

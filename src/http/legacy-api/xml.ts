import { buildXml, replaceForbidden } from '../xml-document.ts'
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

/**
 * Writes a reply of the legacy API as XML 1.0: `message` with the attributes `client` and `time`,
 * in it `response` with `code` and `data`. What XML cannot carry is replaced by U+FFFD.
 */
export function renderXml({ client, time, code, data }: XmlMeta & { data: XmlData }): string {
  const fields = Object.entries(data).map(([name, value]) => [name, toElement(name, value)])
  return buildXml({
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
  for await (const shortUrl of shortUrls)
    yield buildXml({ url: { short_url: toContent(shortUrl) } })
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

import { joinChunks } from '../chunks.ts'
import { buildXml, replaceForbidden } from '../xml-document.ts'

type Field = string | number | boolean | null
type Item = Readonly<Record<string, Field>>

/** The fields of a reply. The elements of a list are named after the list, without its last letter. */
export type XmlData = Readonly<Record<string, Field | readonly Item[]>>

export type XmlMeta = {
  /** The caller's IP address. */
  client: string
  /** The time of the reply in Unix seconds. */
  time: number
  code: number
}

/**
 * Renders a reply as XML 1.0: `message` with the attributes `client` and `time`, containing
 * `response` with `code` and `data`. Characters that XML does not allow become U+FFFD.
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
 * Streams the same document as `renderXml` for the data `urls` and `date_time`, reading the short
 * URLs on demand. An error in the source ends the stream with that error. If the reader stops
 * early, the source is closed.
 */
export function streamXmlList(
  meta: XmlMeta & { dateTime: string },
  shortUrls: AsyncIterable<string>,
): AsyncGenerator<string> {
  return joinChunks(generateXml(meta, shortUrls))
}

async function* generateXml(
  { dateTime, ...meta }: XmlMeta & { dateTime: string },
  shortUrls: AsyncIterable<string>,
) {
  const frame = renderXml({ ...meta, data: { urls: [], date_time: dateTime } })
  // Content is escaped, so the first closing tag is that of the list.
  const insertAt = frame.indexOf('</urls>')
  yield frame.slice(0, insertAt)
  for await (const shortUrl of shortUrls)
    yield buildXml({ url: { short_url: toContent(shortUrl) } })
  yield frame.slice(insertAt)
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

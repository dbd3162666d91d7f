import { joinChunks } from '../chunks.ts'

export type JsonListMeta = {
  code: number
  /** Date and time of the call, `YYYY-MM-DD HH:MM:SS`. */
  dateTime: string
}

/**
 * Streams `{code, data: {urls: [{short_url}…], date_time}}` in chunks, reading the short URLs on
 * demand. An error in the source ends the stream with that error. If the reader stops early, the
 * source is closed.
 */
export function streamJsonList(
  meta: JsonListMeta,
  shortUrls: AsyncIterable<string>,
): AsyncGenerator<string> {
  return joinChunks(generateJson(meta, shortUrls))
}

async function* generateJson({ code, dateTime }: JsonListMeta, shortUrls: AsyncIterable<string>) {
  yield `{"code":${JSON.stringify(code)},"data":{"urls":[`
  let separator = ''
  for await (const shortUrl of shortUrls) {
    yield separator + JSON.stringify({ short_url: shortUrl })
    separator = ','
  }
  yield `],"date_time":${JSON.stringify(dateTime)}}}`
}

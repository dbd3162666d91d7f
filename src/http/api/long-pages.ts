import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { joinChunks } from '../chunks.ts'

type Page = { data: Record<string, unknown> & { perpage: number } }
type Serialize = (page: Page) => string

/** Pages with more entries are streamed. An entry of a list may have tens of kilobytes. */
const MAX_AT_ONCE = 50

/**
 * Streams long pages of lists, one entry after another, so that other requests are answered in
 * between. Routes return them like short ones.
 */
export function streamLongPages(app: FastifyInstance): void {
  app.addHook('preSerialization', (_request, reply, payload, done) => {
    const collection = findLongList(payload)
    const serialize = collection && (reply.getSerializationFunction('200') as Serialize | undefined)
    if (!(collection && serialize)) return done(null, payload)
    return done(null, passThrough(reply, streamPage(payload as Page, collection, serialize)))
  })
}

/** Returns the name under which a page has a long list, or undefined if it has none. */
function findLongList(payload: unknown): string | undefined {
  const { data } = (payload ?? {}) as Partial<Page>
  if (typeof data?.perpage !== 'number') return undefined
  return Object.keys(data).find((name) => {
    const value = data[name]
    return Array.isArray(value) && value.length > MAX_AT_ONCE
  })
}

/** Sends a stream instead of text that the route's serializer would return. */
function passThrough(reply: FastifyReply, stream: Readable): Readable {
  reply.serializer((payload) => payload as string)
  return stream
}

function streamPage(page: Page, collection: string, serialize: Serialize): Readable {
  const entries = page.data[collection] as readonly unknown[]
  const withEntries = (some: readonly unknown[]) =>
    serialize({ ...page, data: { ...page.data, [collection]: some } })
  const empty = withEntries([])
  const marker = `${JSON.stringify(collection)}:[`
  const start = empty.lastIndexOf(marker) + marker.length
  const end = empty.length - start
  async function* generate() {
    yield empty.slice(0, start)
    for (const [index, entry] of entries.entries()) {
      yield (index === 0 ? '' : ',') + withEntries([entry]).slice(start, -end)
    }
    yield empty.slice(start)
  }
  async function* takeTurns() {
    for await (const chunk of joinChunks(generate())) {
      yield chunk
      await setImmediate()
    }
  }
  // The unit is chunks: at most two are buffered for a slow reader.
  return Readable.from(takeTurns(), { highWaterMark: 2 })
}

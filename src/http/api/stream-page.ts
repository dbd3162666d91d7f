import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { joinChunks } from '../chunks.ts'

/**
 * Streams a page of a list whose entries may be large, one entry after another, so that other
 * requests are answered in between. `page` is the reply with an empty list under the name `collection`.
 */
export function streamPage<Name extends string>(
  reply: FastifyReply,
  collection: Name,
  page: { data: Record<Name, readonly never[]> },
  entries: readonly unknown[],
): FastifyReply {
  const empty = JSON.stringify(page)
  const marker = `${JSON.stringify(collection)}:[`
  const start = empty.lastIndexOf(marker) + marker.length
  async function* generate() {
    yield empty.slice(0, start)
    for (const [index, entry] of entries.entries()) {
      yield (index === 0 ? '' : ',') + JSON.stringify(entry)
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
  const chunks = Readable.from(takeTurns(), { highWaterMark: 2 })
  return reply.type('application/json; charset=utf-8').send(chunks)
}

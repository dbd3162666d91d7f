import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Reply, send } from '../../test/support/http.ts'

export type ApiLoad = ReturnType<typeof startApiLoad>

type Options = { origin: string; key: string; lanes: number; pauseMs: number }
type CreatedLink = { id: number; shortUrl: string }

/**
 * The maximum number of links per lane. Older links are deleted, so that the data does not grow
 * during a long run.
 */
const MAX_LINKS = 200

/**
 * Calls the API and the legacy API until stopped: creates, changes, lists, reads, disables and deletes links. Records
 * replies with a status other than 200 as errors.
 */
export function startApiLoad({ origin, key, lanes, pauseMs }: Options) {
  const agent = new Agent({ keepAlive: true, maxSockets: lanes })
  const headers = { authorization: `Bearer ${key}` }
  const errors = new Map<string, number>()
  let calls = 0
  let liveLinks = 0
  let isStopping = false
  const running = Array.from({ length: lanes }, (_, index) => runLane(index))

  async function runLane(lane: number): Promise<void> {
    const links: CreatedLink[] = []
    for (let step = 0; !isStopping; step += 1) {
      try {
        await runStep(lane, step, links)
      } catch (error) {
        recordError(error instanceof Error ? error.message : String(error))
      }
      await sleep(pauseMs)
    }
  }

  async function runStep(lane: number, step: number, links: CreatedLink[]): Promise<void> {
    const destination = `https://example.com/${lane}/${step}`
    const newest = links.at(-1)
    // Each step but the first needs a link.
    switch (newest ? step % 8 : 0) {
      case 0:
        return addLink(links, await call('POST', '/api/url/add', { url: destination }))
      case 1:
        await call('PUT', `/api/url/${newest?.id}/update`, { url: `${destination}/changed` })
        return
      case 2:
        await call('GET', `/api/urls?limit=15&page=${(step % 5) + 1}`)
        return
      case 3:
        await call('GET', `/api/url/${newest?.id}`)
        return
      case 4:
        return addLegacyLink(links, await callLegacy(`create/url/${encodeBase64(destination)}`))
      case 5:
        await callLegacy(`disable/short_url/${encodeBase64(newest?.shortUrl ?? '')}`)
        await callLegacy(`enable/short_url/${encodeBase64(newest?.shortUrl ?? '')}`)
        return
      case 6:
        await callLegacy(`info/short_url/${encodeBase64(newest?.shortUrl ?? '')}`)
        return
      default:
        return deleteOldLinks(links)
    }
  }

  function addLink(links: CreatedLink[], { body }: Reply): void {
    const { id, shorturl } = JSON.parse(body) as { id: number; shorturl: string }
    liveLinks += 1
    links.push({ id, shortUrl: shorturl })
  }

  function addLegacyLink(links: CreatedLink[], { body }: Reply): void {
    const { data } = JSON.parse(body) as { data: { url_id: string; short_url: string } }
    liveLinks += 1
    links.push({ id: Number(data.url_id), shortUrl: data.short_url })
  }

  async function deleteOldLinks(links: CreatedLink[]): Promise<void> {
    while (links.length > MAX_LINKS) {
      await call('DELETE', `/api/url/${links.shift()?.id}/delete`)
      liveLinks -= 1
    }
  }

  function callLegacy(call: string): Promise<Reply> {
    return request('GET', `/api/v1/${key}/shorturl/${call}.json`)
  }

  function call(method: string, path: string, json?: unknown): Promise<Reply> {
    return request(method, path, json)
  }

  async function request(method: string, path: string, json?: unknown): Promise<Reply> {
    calls += 1
    const reply = await send(`${origin}${path}`, { method, headers, json, agent })
    if (reply.status !== 200) throw new Error(`${method} returned ${reply.status} ${reply.body}`)
    return reply
  }

  function recordError(text: string): void {
    errors.set(text, (errors.get(text) ?? 0) + 1)
  }

  return {
    errors,
    get calls() {
      return calls
    },
    /** The number of links that were created and not deleted. */
    get liveLinks() {
      return liveLinks
    },
    async stop(): Promise<void> {
      isStopping = true
      await Promise.all(running)
      agent.destroy()
    },
  }
}

function encodeBase64(text: string): string {
  return Buffer.from(text).toString('base64url')
}

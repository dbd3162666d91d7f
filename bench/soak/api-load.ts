import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Reply, send } from '../../test/support/http.ts'

export type ApiLoad = ReturnType<typeof startApiLoad>

type Options = { origin: string; key: string; lanes: number; pause: number }
type Made = { id: number; shortUrl: string }

/**
 * The number of links per lane to keep. Older ones are deleted, so that the data does not grow during a long run.
 */
const MAX_LINKS = 200

/**
 * Uses both APIs until stopped: creates, changes, lists, reads, disables and deletes links. Records
 * every reply other than 200 as an error.
 */
export function startApiLoad({ origin, key, lanes, pause }: Options) {
  const agent = new Agent({ keepAlive: true, maxSockets: lanes })
  const headers = { authorization: `Bearer ${key}` }
  const faults = new Map<string, number>()
  let calls = 0
  let live = 0
  let stopping = false
  const running = Array.from({ length: lanes }, (_, index) => lane(index))

  async function lane(number: number): Promise<void> {
    const made: Made[] = []
    for (let turn = 0; !stopping; turn += 1) {
      try {
        await step(number, turn, made)
      } catch (error) {
        fault(error instanceof Error ? error.message : String(error))
      }
      await sleep(pause)
    }
  }

  async function step(lane: number, turn: number, made: Made[]): Promise<void> {
    const target = `https://example.com/${lane}/${turn}`
    const newest = made.at(-1)
    switch (newest ? turn % 8 : 0) {
      case 0:
        return keep(made, await call('POST', '/api/url/add', { url: target }))
      case 1:
        await call('PUT', `/api/url/${newest?.id}/update`, { url: `${target}/changed` })
        return
      case 2:
        await call('GET', `/api/urls?limit=15&page=${(turn % 5) + 1}`)
        return
      case 3:
        await call('GET', `/api/url/${newest?.id}`)
        return
      case 4:
        return keepLegacy(made, await legacy(`create/url/${encode(target)}`))
      case 5:
        await legacy(`disable/short_url/${encode(newest?.shortUrl ?? '')}`)
        await legacy(`enable/short_url/${encode(newest?.shortUrl ?? '')}`)
        return
      case 6:
        await legacy(`info/short_url/${encode(newest?.shortUrl ?? '')}`)
        return
      default:
        return trim(made)
    }
  }

  function keep(made: Made[], { body }: Reply): void {
    const { id, shorturl } = JSON.parse(body) as { id: number; shorturl: string }
    live += 1
    made.push({ id, shortUrl: shorturl })
  }

  function keepLegacy(made: Made[], { body }: Reply): void {
    const { data } = JSON.parse(body) as { data: { url_id: string; short_url: string } }
    live += 1
    made.push({ id: Number(data.url_id), shortUrl: data.short_url })
  }

  async function trim(made: Made[]): Promise<void> {
    while (made.length > MAX_LINKS) {
      await call('DELETE', `/api/url/${made.shift()?.id}/delete`)
      live -= 1
    }
  }

  function legacy(call: string): Promise<Reply> {
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

  function fault(text: string): void {
    faults.set(text, (faults.get(text) ?? 0) + 1)
  }

  return {
    faults,
    get calls() {
      return calls
    },
    /** The links that were created and not deleted. */
    get live() {
      return live
    },
    async stop(): Promise<void> {
      stopping = true
      await Promise.all(running)
      agent.destroy()
    },
  }
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url')
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { GuardedFetch, ProbeMethod } from '../../net/guarded-fetch.ts'
import { OutboundError } from '../../net/outbound-error.ts'
import { evaluateResponse, type Problem, type Verdict } from './verdict.ts'

type Options = {
  fetch: Pick<GuardedFetch, 'probe'>
  /** Reserves a slot for a request to a host and returns the milliseconds until then. */
  reserveSlot: (host: string, now: number) => number
  now: Date
  timeoutMs: number
  signal: AbortSignal
}

const MAX_REDIRECTS = 5
const HEADERS = { 'user-agent': 'Brevis link check' }

/**
 * Sends a HEAD request to a destination and, if it fails, a GET request, because some servers
 * reject HEAD. Follows redirects like a browser. Each request waits for the host's next slot.
 * Throws if aborted.
 */
export async function probeDestination(destination: string, options: Options): Promise<Verdict> {
  let url = URL.parse(destination)
  for (let redirectsLeft = MAX_REDIRECTS; ; redirectsLeft -= 1) {
    if (!url) return { kind: 'fails', problem: 'bad_response' }
    // A redirect to an app works for visitors but cannot be checked here.
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return { kind: 'works' }
    const response = await sendRequest(url, options)
    // A URL to which this service must not send requests may work for visitors.
    if (response === 'not requested') return { kind: 'works' }
    if (typeof response === 'string') return { kind: 'fails', problem: response }
    if (response.location === '') return evaluateResponse(response, options.now)
    if (redirectsLeft === 0) return { kind: 'fails', problem: 'too_many_redirects' }
    url = URL.parse(response.location, url)
  }
}

type ProbeResponse = Awaited<ReturnType<GuardedFetch['probe']>>

async function sendRequest(
  url: URL,
  options: Options,
): Promise<ProbeResponse | Problem | 'not requested'> {
  const head = await sendRequestWith('HEAD', url, options)
  const isFinal = typeof head === 'object' && (head.status < 400 || isBusy(head))
  return isFinal || head === 'not requested' ? head : sendRequestWith('GET', url, options)
}

async function sendRequestWith(
  method: ProbeMethod,
  url: URL,
  { fetch, reserveSlot, timeoutMs, signal }: Options,
): Promise<ProbeResponse | Problem | 'not requested'> {
  const delay = reserveSlot(url.hostname, Date.now())
  if (delay > 0) await sleep(delay, undefined, { signal })
  try {
    return await fetch.probe(url.href, { method, headers: HEADERS, timeoutMs, signal })
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof OutboundError)) throw error
    if (error.reason === 'refused_url') return 'not requested'
    return error.reason === 'too_large' ? 'bad_response' : error.reason
  }
}

/** Returns whether a server is overloaded. If so, it must not get a second request immediately. */
function isBusy({ status, retryAfter }: ProbeResponse): boolean {
  return status === 429 || (status === 503 && retryAfter !== '')
}

/**
 * Creates the function that limits requests to one per host every `everyMs` milliseconds. It
 * reserves the next slot for a host and returns the milliseconds until then.
 */
export function createHostThrottle(everyMs: number) {
  const nextSlots = new Map<string, number>()
  return function reserve(host: string, now: number): number {
    const slot = Math.max(now, nextSlots.get(host) ?? now)
    nextSlots.set(host, slot + everyMs)
    // Hosts need an entry only while their next slot is in the future.
    if (nextSlots.size > MAX_HOSTS) {
      for (const [host, next] of nextSlots) if (next <= now) nextSlots.delete(host)
    }
    return slot - now
  }
}

const MAX_HOSTS = 10_000

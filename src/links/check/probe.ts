import { setTimeout as sleep } from 'node:timers/promises'
import type { GuardedFetch, ProbeMethod } from '../../net/guarded-fetch.ts'
import { OutboundError } from '../../net/outbound-error.ts'
import { evaluateReply, type Problem, type Verdict } from './verdict.ts'

type Options = {
  fetch: Pick<GuardedFetch, 'probe'>
  /** Reserves a slot for a request to a host and returns the milliseconds until then. */
  reserve: (host: string, now: number) => number
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
  for (let left = MAX_REDIRECTS; ; left -= 1) {
    if (!url) return { kind: 'fails', problem: 'bad_response' }
    // A redirect to an app works for visitors but cannot be checked here.
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return { kind: 'works' }
    const reply = await request(url, options)
    if (reply === 'not requested') return { kind: 'works' }
    if (typeof reply === 'string') return { kind: 'fails', problem: reply }
    if (reply.location === '') return evaluateReply(reply, options.now)
    if (left === 0) return { kind: 'fails', problem: 'too_many_redirects' }
    url = URL.parse(reply.location, url)
  }
}

type Reply = Awaited<ReturnType<GuardedFetch['probe']>>

async function request(url: URL, options: Options): Promise<Reply | Problem | 'not requested'> {
  const head = await requestBy('HEAD', url, options)
  const isFinal = typeof head === 'object' && (head.status < 400 || isBusy(head))
  return isFinal || head === 'not requested' ? head : requestBy('GET', url, options)
}

async function requestBy(
  method: ProbeMethod,
  url: URL,
  { fetch, reserve, timeoutMs, signal }: Options,
): Promise<Reply | Problem | 'not requested'> {
  const delay = reserve(url.hostname, Date.now())
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
function isBusy({ status, retryAfter }: Reply): boolean {
  return status === 429 || (status === 503 && retryAfter !== '')
}

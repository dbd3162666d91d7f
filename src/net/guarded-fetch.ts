import { createFairQueue } from '../concurrency/fair-queue.ts'
import { createAddressPolicy } from './address-policy.ts'
import type { Lookup } from './checked-connector.ts'
import { createNameLookup } from './name-lookup.ts'
import { OutboundError } from './outbound-error.ts'

export type OutboundReply = {
  status: number
  /** The `content-type` header as sent, or `''`. */
  contentType: string
  body: Buffer
  /** Where the reply came from, after redirects. */
  url: string
  /** The `retry-after` header as sent, where there is one. */
  retryAfter?: string
}

export type FetchOptions = {
  /** The account that asks, whose requests take turns with those of others. */
  account: number
  /** How many redirects may be followed; with 0, a redirect is an error. */
  redirects?: number
  maxBytes?: number
  /** In place of that of all requests. */
  timeoutMs?: number
  /** Sent along, a key for instance; not to where a redirect leads. */
  headers?: Readonly<Record<string, string>>
  /** Breaks the request off. */
  signal?: AbortSignal | undefined
}

export type GuardedFetch = ReturnType<typeof createGuardedFetch>

/**
 * The one way in which the program opens a connection to a host that a user named. Only public
 * addresses are dialled, and those in the `allow` CIDRs; this is checked on the address itself, for
 * the URL and for each redirect.
 *
 * `timeoutMs` is for everything: name, connection, redirects and body. At most `maxConcurrent`
 * requests run, `maxConcurrentPerAccount` of each account, and `maxWaiting` wait; their time begins when
 * they run.
 *
 * `fetch` throws an `OutboundError` with its `reason`, or `AppError('busy')`. Any final status is a
 * reply and left to the caller to judge. `close` aborts what is running.
 */
export function createGuardedFetch({
  allow,
  lookup = createNameLookup(),
  maxConcurrent = 16,
  maxConcurrentPerAccount = 1,
  maxWaiting = 64,
  timeoutMs = 3000,
  maxBytes = 1_048_576,
  maxRedirects = 3,
}: {
  allow: readonly string[]
  lookup?: Lookup
  maxConcurrent?: number
  maxConcurrentPerAccount?: number
  maxWaiting?: number
  timeoutMs?: number
  maxBytes?: number
  maxRedirects?: number
}) {
  const isPermitted = createAddressPolicy(allow)
  const queue = createFairQueue({
    ...{ maxRunning: maxConcurrent, maxRunningPerKey: maxConcurrentPerAccount, maxWaiting },
  })
  const closing = new AbortController()

  return {
    fetch(url: string, options: FetchOptions): Promise<OutboundReply> {
      const {
        account,
        redirects = maxRedirects,
        maxBytes: limit = maxBytes,
        timeoutMs: time = timeoutMs,
        headers = {},
        signal,
      } = options
      return queue.run(account, () => follow(url, redirects, { limit, time }, headers, signal))
    },

    /**
     * Posts a text, and gives the status of the reply and its `retry-after` header, or `''`. No
     * redirect is followed and no body read, so a 2xx counts however much comes behind it.
     */
    post(url: string, text: string, options: Pick<FetchOptions, 'account' | 'headers'>) {
      const { account, headers = {} } = options
      return queue.run(account, () => postOnce(url, text, headers))
    },

    close(): void {
      queue.close()
      closing.abort(new OutboundError('unreachable'))
    },
  }

  async function postOnce(
    target: string,
    post: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<{ status: number; retryAfter: string }> {
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), closing.signal])
    const url = parseOutboundUrl(target)
    const { exchange } = await import('./exchange.ts')
    const options = { isPermitted, lookup, timeoutMs, limit: 0, signal, headers, post }
    const { result } = await exchange(url, options)
    if (result === undefined) throw new OutboundError('bad_response')
    return { status: result.status, retryAfter: result.retryAfter ?? '' }
  }

  async function follow(
    start: string,
    redirects: number,
    { limit, time }: { limit: number; time: number },
    first: Readonly<Record<string, string>>,
    leaving?: AbortSignal,
  ): Promise<OutboundReply> {
    const ends = [AbortSignal.timeout(time), closing.signal, ...(leaving ? [leaving] : [])]
    const signal = AbortSignal.any(ends)
    let url = parseOutboundUrl(start)
    // The client takes a while to load, and most processes never need it.
    const { exchange } = await import('./exchange.ts')
    for (let left = redirects; ; left -= 1) {
      const headers = left === redirects ? first : {}
      const options = { isPermitted, lookup, timeoutMs: time, limit, signal, headers }
      const reply = await exchange(url, options)
      if (reply.location === undefined) return { ...reply.result, url: url.href }
      if (left <= 0) throw new OutboundError('too_many_redirects')
      url = parseOutboundUrl(reply.location, url)
    }
  }
}

/**
 * The URL as WHATWG URL reads it, which also turns every spelling of an IPv4 address into the usual
 * one. Ports below 1024 other than the web's own are refused: nothing that speaks HTTP for users
 * lives there, and services that can be tricked by an HTTP request do.
 *
 * @throws OutboundError `refused_url`, or `bad_response` where a redirect leads there
 */
export function parseOutboundUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base)
  if (url === null) throw new OutboundError(base === undefined ? 'refused_url' : 'bad_response')
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:'
  const isOpenPort = ['', '80', '443'].includes(url.port) || Number(url.port) > 1023
  const hasUser = url.username !== '' || url.password !== ''
  if (!isWeb || !isOpenPort || hasUser) throw new OutboundError('refused_url')
  return url
}

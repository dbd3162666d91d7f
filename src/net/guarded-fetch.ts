import { createFairQueue } from '../concurrency/fair-queue.ts'
import { createAddressPolicy } from './address-policy.ts'
import type { Lookup } from './checked-connector.ts'
import { createNameLookup } from './name-lookup.ts'
import { OutboundError } from './outbound-error.ts'

export type OutboundResponse = {
  status: number
  /** The `content-type` header, or an empty string if it is missing. */
  contentType: string
  body: Buffer
  /** The URL of the response, after redirects. */
  url: string
  /** The `retry-after` header, if there is one. */
  retryAfter?: string
}

export type FetchOptions = {
  /** The account that sends the request. Accounts take turns. */
  account: number
  /** The maximum number of redirects. With 0, a redirect is an error. */
  redirects?: number
  maxBytes?: number
  /** Overrides the default timeout. */
  timeoutMs?: number
  /** Additional headers, such as a key. They are not sent to the target of a redirect. */
  headers?: Readonly<Record<string, string>>
  /** Aborts the request. */
  signal?: AbortSignal | undefined
}

export type ProbeMethod = 'HEAD' | 'GET'

export type ProbeOptions = Pick<FetchOptions, 'headers' | 'signal'> & {
  method: ProbeMethod
  /** Overrides the default timeout. */
  timeoutMs?: number
}

export type GuardedFetch = ReturnType<typeof createGuardedFetch>

/**
 * Creates the only fetcher that connects to hosts chosen by users. It connects only to public
 * addresses and the `allow` CIDRs. The actual IP address is checked, for the URL and for each
 * redirect.
 *
 * `timeoutMs` covers DNS, connection, redirects and body, and starts when a request starts to run.
 * At most `maxConcurrent` requests run at a time, at most `maxConcurrentPerAccount` of each
 * account, and at most `maxWaiting` wait.
 *
 * `fetch` throws an `OutboundError` with its `reason`, or `AppError('busy')`. It returns the final
 * response, whatever its status. `close` aborts running requests.
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
    maxRunning: maxConcurrent,
    maxRunningPerKey: maxConcurrentPerAccount,
    maxWaiting,
  })
  const closing = new AbortController()

  return {
    fetch(url: string, options: FetchOptions): Promise<OutboundResponse> {
      const {
        account,
        redirects = maxRedirects,
        maxBytes: limit = maxBytes,
        timeoutMs: requestTimeoutMs = timeoutMs,
        headers = {},
        signal,
      } = options
      return queue.run(account, () =>
        follow(url, redirects, { maxBytes: limit, timeoutMs: requestTimeoutMs }, headers, signal),
      )
    },

    /**
     * Posts a text. Returns the status of the response and its `retry-after` header, or an empty
     * text if it is missing. Follows no redirects and reads no body.
     */
    post(url: string, text: string, options: Pick<FetchOptions, 'account' | 'headers'>) {
      const { account, headers = {} } = options
      return queue.run(account, () => postOnce(url, text, headers))
    },

    /**
     * Sends one request and returns the head of the response, whatever its status. `location` is
     * the target of a redirect, which is not followed. Reads no body. There is no limit per
     * account, because the caller alternates between accounts.
     */
    probe(
      url: string,
      options: ProbeOptions,
    ): Promise<{ status: number; retryAfter: string; location: string }> {
      return probeOnce(url, options)
    },

    /**
     * Returns whether a name has an IP address, or undefined if the name servers do not respond in
     * time. Does not reveal the address.
     */
    hasAddress(hostname: string, { account }: Pick<FetchOptions, 'account'>) {
      return queue.run(account, () => resolvesToAddress(hostname))
    },

    close(): void {
      queue.close()
      closing.abort(new OutboundError('unreachable'))
    },
  }

  /**
   * Returns a signal that aborts after a timeout, on `close`, or when the caller's signal aborts.
   */
  function limitTime(milliseconds: number, callerSignal?: AbortSignal): AbortSignal {
    const signals = [AbortSignal.timeout(milliseconds), closing.signal]
    return AbortSignal.any(callerSignal ? [...signals, callerSignal] : signals)
  }

  async function resolvesToAddress(hostname: string): Promise<boolean | undefined> {
    const signal = limitTime(timeoutMs)
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
    try {
      return (await Promise.race([lookup(hostname, signal), aborted])).length > 0
    } catch {
      return signal.aborted ? undefined : false
    }
  }

  async function postOnce(
    target: string,
    post: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<{ status: number; retryAfter: string }> {
    const signal = limitTime(timeoutMs)
    const url = parseOutboundUrl(target)
    const { exchange } = await import('./exchange.ts')
    const options = { isPermitted, lookup, timeoutMs, maxBytes: 0, signal, headers, post }
    const { result } = await exchange(url, options)
    if (result === undefined) throw new OutboundError('bad_response')
    return { status: result.status, retryAfter: result.retryAfter ?? '' }
  }

  async function probeOnce(
    target: string,
    {
      method: probe,
      headers = {},
      timeoutMs: requestTimeoutMs = timeoutMs,
      signal: callerSignal,
    }: ProbeOptions,
  ) {
    // Loads the client before the timeout starts, because loading may take long on a busy machine.
    const { exchange, REDIRECTS } = await import('./exchange.ts')
    const signal = limitTime(requestTimeoutMs, callerSignal)
    const url = parseOutboundUrl(target)
    const options = {
      isPermitted,
      lookup,
      timeoutMs: requestTimeoutMs,
      maxBytes: 0,
      signal,
      headers,
      probe,
    }
    const { result } = await exchange(url, options)
    if (result === undefined) throw new OutboundError('bad_response')
    const { status, retryAfter = '' } = result
    const location = 'location' in result ? String(result.location) : ''
    return { status, retryAfter, location: REDIRECTS.has(status) ? location : '' }
  }

  async function follow(
    start: string,
    redirects: number,
    limits: { maxBytes: number; timeoutMs: number },
    firstHeaders: Readonly<Record<string, string>>,
    callerSignal?: AbortSignal,
  ): Promise<OutboundResponse> {
    const signal = limitTime(limits.timeoutMs, callerSignal)
    let url = parseOutboundUrl(start)
    // Loaded on demand, because the client is slow to load and most processes never need it.
    const { exchange } = await import('./exchange.ts')
    for (let remaining = redirects; ; remaining -= 1) {
      const headers = remaining === redirects ? firstHeaders : {}
      const options = { isPermitted, lookup, ...limits, signal, headers }
      const response = await exchange(url, options)
      if (response.location === undefined) return { ...response.result, url: url.href }
      if (remaining <= 0) throw new OutboundError('too_many_redirects')
      url = parseOutboundUrl(response.location, url)
    }
  }
}

/**
 * Parses a URL by the WHATWG URL standard, which normalizes IPv4 addresses. Rejects ports below
 * 1024 other than 80 and 443, because other services might be tricked by an HTTP request.
 *
 * @throws OutboundError `refused_url`, or `bad_response` for the target of a redirect
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

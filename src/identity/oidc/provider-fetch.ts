import { createFairQueue } from '../../concurrency/fair-queue.ts'
import { createAddressPolicy } from '../../net/address-policy.ts'
import type { Lookup } from '../../net/checked-connector.ts'
import { parseOutboundUrl } from '../../net/guarded-fetch.ts'
import { createNameLookup } from '../../net/name-lookup.ts'
import { OutboundError } from '../../net/outbound-error.ts'

const TIMEOUT_MS = 10_000
const MAX_BYTES = 1_048_576
const MAX_RUNNING = 16
const MAX_WAITING = 128

type Options = { issuer: URL; allow: readonly string[]; lookup?: Lookup | undefined }
type RequestOptions = {
  method: string
  body?: unknown
  headers: Record<string, string>
  signal?: AbortSignal
}

/**
 * Creates the `fetch` for requests to the identity provider. The issuer is configured by the
 * operator, so its host may have any IP address, including private ones. The provider chooses its
 * endpoints, so those on other hosts must have public addresses or addresses in `allow`. Redirects
 * are errors.
 */
export function createProviderFetch({ issuer, allow, lookup = createNameLookup() }: Options) {
  const isPublic = createAddressPolicy(allow)
  const queue = createFairQueue({
    maxRunning: MAX_RUNNING,
    maxRunningPerKey: MAX_RUNNING,
    maxWaiting: MAX_WAITING,
  })

  return (target: string, { method, body, headers, signal }: RequestOptions): Promise<Response> =>
    queue.run('', async () => {
      const url = target.startsWith(`${issuer.origin}/`)
        ? new URL(target)
        : parseOutboundUrl(target)
      const isIssuer = url.hostname === issuer.hostname
      // Loaded on demand, like the client for other outbound requests.
      const { exchange } = await import('../../net/exchange.ts')
      const signals = [AbortSignal.timeout(TIMEOUT_MS), ...(signal ? [signal] : [])]
      const { result } = await exchange(url, {
        isPermitted: isIssuer ? () => true : isPublic,
        lookup,
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_BYTES,
        signal: AbortSignal.any(signals),
        headers,
        ...(method === 'POST' && { post: String(body), readsBody: true }),
      })
      if (!result) throw new OutboundError('too_many_redirects')
      const { status, contentType, body: bytes } = result
      const content = status === 204 || status === 304 ? null : new Uint8Array(bytes)
      return new Response(content, { status, headers: { 'content-type': contentType } })
    })
}

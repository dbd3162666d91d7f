import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { OutboundError } from './outbound-error.ts'

/** Returns all IP addresses of a name. If the signal aborts, the caller stops waiting. */
export type Lookup = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>

/**
 * Creates a connector for undici that resolves a name only once and rejects it if any of its
 * addresses is not permitted. It connects only to the checked addresses, so a later DNS change has
 * no effect. TLS still verifies the host name. `timeoutMs` limits the time to connect. Once
 * `signal` has aborted, it does not connect.
 */
export function createCheckedConnector(options: {
  isPermitted: (address: string) => boolean
  lookup: Lookup
  timeoutMs: number
  signal: AbortSignal
}): buildConnector.connector {
  const { isPermitted, lookup, timeoutMs, signal } = options

  return (target, callback) => {
    resolve(target.hostname).then(
      (addresses) => dial(addresses, target, callback),
      (error: Error) => callback(error, null),
    )
  }

  async function resolve(hostname: string): Promise<readonly string[]> {
    const addresses = isIP(hostname) === 0 ? await lookup(hostname, signal) : [hostname]
    signal.throwIfAborted()
    if (addresses.length === 0) throw new OutboundError('unreachable')
    if (!addresses.every(isPermitted)) {
      throw new OutboundError('unreachable', { cause: new Error('the address is not permitted') })
    }
    return addresses
  }

  function dial(
    addresses: readonly string[],
    target: buildConnector.Options,
    callback: buildConnector.Callback,
  ): void {
    const connect = buildConnector({
      autoSelectFamily: true,
      lookup: createFixedLookup(addresses),
      timeout: timeoutMs,
      allowH2: false,
      maxCachedSessions: 0,
    })
    // The server name in TLS has no trailing dot, but a URL may have one (RFC 6066, section 3).
    const servername = isIP(target.hostname) === 0 ? target.hostname.replace(/\.$/, '') : undefined
    connect({ ...target, servername }, callback)
  }
}

/**
 * Creates a `lookup` function for sockets that always returns the same addresses. Sockets do not
 * call it for IP addresses. With `autoSelectFamily`, they always request all addresses.
 */
function createFixedLookup(addresses: readonly string[]): LookupFunction {
  const results = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_hostname, _options, callback) => callback(null, results)
}

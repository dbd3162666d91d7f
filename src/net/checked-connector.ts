import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { OutboundError } from './outbound-error.ts'

/** Returns all addresses of a name as text. The caller stops waiting when the signal aborts. */
export type Lookup = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>

/**
 * Creates a connector for undici that resolves a name once, rejects it if any of its addresses is
 * not permitted, and connects only to checked addresses, so that a DNS change after the check has
 * no effect. TLS still verifies the host name. `timeoutMs` limits the connection. Does not connect
 * after `signal` has aborted.
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
      lookup: fixedLookup(addresses),
      timeout: timeoutMs,
      allowH2: false,
      maxCachedSessions: 0,
    })
    // The server name in TLS has no trailing dot, which a URL may have (RFC 6066, section 3).
    const servername = isIP(target.hostname) === 0 ? target.hostname.replace(/\.$/, '') : undefined
    connect({ ...target, servername }, callback)
  }
}

/**
 * Creates a `lookup` function for sockets with a fixed result. Sockets do not call it for IP
 * addresses, and with `autoSelectFamily` always request all addresses.
 */
function fixedLookup(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_hostname, _options, callback) => callback(null, answers)
}

import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { OutboundError } from './outbound-error.ts'

/** All addresses of a name, as text; nobody waits for them once the signal has aborted. */
export type Lookup = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>

/**
 * A connector for undici that looks a name up once, refuses it when any of its addresses is not
 * permitted, and dials what was checked and nothing else, so that an answer which changes between
 * the check and the connection has no effect. TLS still names and verifies the host.
 * `timeoutMs` bounds the connection; nothing is dialled once `signal` has aborted.
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
      lookup: answerWith(addresses),
      timeout: timeoutMs,
      allowH2: false,
      maxCachedSessions: 0,
    })
    // RFC 6066, section 3: the name in TLS has no trailing dot, which a URL may have.
    const servername = isIP(target.hostname) === 0 ? target.hostname.replace(/\.$/, '') : undefined
    connect({ ...target, servername }, callback)
  }
}

/**
 * A `lookup` for sockets which knows one answer. It is not called for literal addresses, and with
 * `autoSelectFamily` always asked for all addresses.
 */
function answerWith(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_hostname, _options, callback) => callback(null, answers)
}

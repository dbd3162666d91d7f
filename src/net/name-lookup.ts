import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Lookup } from './checked-connector.ts'

type Options = {
  /** For all questions about one name. */
  timeoutMs?: number
  /** `address:port` of each server, by default those of the system. */
  servers?: readonly string[]
  hostsFile?: string
}

/** How long the other kind of address may take once one is known (as in RFC 8305, section 3). */
const SECOND_FAMILY_MS = 200

const LOOPBACK = ['127.0.0.1', '::1']

/**
 * Gives the look-up of the names that users mention: in the hosts file, then by asking the name
 * servers, over sockets of its own. The system's own look-up takes one of few threads that the whole
 * process shares, for as long as a slow server likes, and nothing can end it; behind it the database
 * could not be found. Names are taken as they are, without the system's list of domains to search.
 *
 * Rejects when a name is not known, after `timeoutMs`, and as soon as the signal aborts.
 */
export function createNameLookup({
  timeoutMs = 3000,
  servers,
  hostsFile = '/etc/hosts',
}: Options = {}): Lookup {
  return async (hostname, signal) => {
    const name = hostname.toLowerCase().replace(/\.$/, '')
    const written = readHosts(await readFile(hostsFile, 'utf8').catch(() => ''), name)
    if (written.length > 0) return written
    // RFC 6761, section 6.3: no server is asked for these.
    if (name === 'localhost' || name.endsWith('.localhost')) return LOOPBACK
    return ask(name, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]))
  }

  async function ask(name: string, signal: AbortSignal): Promise<readonly string[]> {
    signal.throwIfAborted()
    const resolver = new Resolver({ timeout: 1000, tries: 2 })
    if (servers) resolver.setServers(servers)
    const cancel = () => resolver.cancel()
    signal.addEventListener('abort', cancel)
    try {
      return await askBoth(resolver, name, signal)
    } finally {
      signal.removeEventListener('abort', cancel)
      resolver.cancel()
    }
  }
}

/** Both kinds of addresses, or those of one kind where the other is slow or not there. */
async function askBoth(resolver: Resolver, name: string, signal: AbortSignal) {
  const found: string[] = []
  const both = [resolver.resolve4(name), resolver.resolve6(name)].map(async (answer) => {
    found.push(...(await answer))
  })
  const all = Promise.allSettled(both)
  try {
    await Promise.any(both)
  } catch {
    signal.throwIfAborted()
    throw new Error(`no address of ${name} was found`)
  }
  await Promise.race([all, sleep(SECOND_FAMILY_MS, undefined, { ref: false })])
  return found
}

/** The addresses of a name in the text of a hosts file (hosts(5)). */
function readHosts(text: string, name: string): string[] {
  return text.split('\n').flatMap((line) => {
    const [address, ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/)
    return address && names.includes(name) ? [address] : []
  })
}

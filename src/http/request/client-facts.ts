import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { onceAMinute } from '../../concurrency/memo.ts'
import type { Config } from '../../config.ts'
import { normalizeAddress, parseIPv4 } from '../../visitors/address.ts'
import { isCountryCode } from '../../visitors/country-names.ts'
import { createRangeMatcher } from './address-ranges.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The country that a trusted proxy reports: an ISO 3166-1 alpha-2 code, or undefined. */
    reportedCountry: string | undefined
  }
}

type Settings = Pick<Config, 'trustProxy' | 'clientAddressHeader' | 'countryHeader'>

const FORWARDED_FOR = 'x-forwarded-for'

/**
 * Creates the function that applies what a trusted proxy reports of a client: `X-Forwarded-For`
 * becomes the client's IP address alone, and `X-Forwarded-Host` replaces `Host`. Headers of other
 * peers stay as they are, and are ignored.
 */
export function createProxyReader(
  { trustProxy, clientAddressHeader }: Settings,
  log: Pick<Logger, 'warn'>,
): (request: Pick<IncomingMessage, 'headers' | 'socket'>) => void {
  const isTrusted = createRangeMatcher(trustProxy)
  const addressHeader = clientAddressHeader ?? FORWARDED_FOR
  const warn = onceAMinute(() =>
    log.warn(
      { header: addressHeader },
      'a trusted proxy sends no IP address in this header; its own address counts as the visitor’s',
    ),
  )

  return ({ headers, socket }) => {
    if (!isTrusted(socket.remoteAddress ?? '')) return
    adoptAddress(headers)
    const host = lastEntry(readHeader(headers, 'x-forwarded-host'))
    if (HOST.test(host)) headers.host = host
  }

  function adoptAddress(headers: IncomingHttpHeaders): void {
    const list = readHeader(headers, addressHeader)
    const client = findClient(list)
    if (client === '' && list.trim() !== '') warn()
    if (client !== '') {
      headers[FORWARDED_FOR] = client
    } else if (FORWARDED_FOR in headers) {
      // Fastify would read it. The request must still count as forwarded.
      headers['x-original-forwarded-for'] = headers[FORWARDED_FOR]
      delete headers[FORWARDED_FOR]
    }
  }

  /**
   * Returns the last address that is not a trusted proxy's, or else the first one. Each proxy appends
   * the address of its peer, so entries before that may be forged. Returns an empty string if there
   * is none, or if an entry that counts is no address.
   */
  function findClient(list: string): string {
    if (parseIPv4(list) >= 0) return list
    const entries = list.split(',').filter((entry) => entry.trim() !== '')
    for (const entry of entries.slice(1).reverse()) {
      const client = parseForwardedAddress(entry)
      if (client === '' || !isTrusted(client)) return client
    }
    // Whether the first one is trusted makes no difference, and would have to be computed for each visitor.
    return parseForwardedAddress(entries[0] ?? '')
  }
}

/** Adds `reportedCountry` to requests: `COUNTRY_HEADER`, from peers in `TRUST_PROXY` only. */
export function decorateReportedCountry(
  app: FastifyInstance,
  { trustProxy, countryHeader }: Settings,
): void {
  const isTrusted = createRangeMatcher(trustProxy)
  app.decorateRequest('reportedCountry', {
    getter(this: FastifyRequest) {
      if (countryHeader === undefined) return undefined
      const code = readHeader(this.raw.headers, countryHeader).trim().toUpperCase()
      return isCountryCode(code) && isTrusted(this.raw.socket.remoteAddress ?? '')
        ? code
        : undefined
    },
  })
}

/** Matches a host name or IP address with an optional port. */
const HOST = /^(?:[^\s/?#@\\:,[\]]+|\[[0-9a-f:.]+\])(?::\d*)?$/i

/**
 * Returns the canonical IP address of an entry of a forwarding header, or an empty string. Ports,
 * brackets and quotes are removed: Azure, IIS and CloudFront send the client's port.
 */
export function parseForwardedAddress(entry: string): string {
  const text = entry.trim().replace(/^"(.*)"$/, '$1')
  const [, bracketed] = /^\[(.*)\](?::\d+)?$/.exec(text) ?? []
  if (bracketed !== undefined) return bracketed.includes(':') ? normalizeAddress(bracketed) : ''
  // IPv4 with a port, or all eight groups of IPv6 followed by one.
  return normalizeAddress(text.replace(/^([\d.]+|(?:[0-9a-f]+:){7}[0-9a-f]+):\d+$/i, '$1'))
}

function readHeader(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name]
  return Array.isArray(value) ? value.join(',') : (value ?? '')
}

/** Returns the last entry of a list, which the nearest proxy wrote. */
function lastEntry(list: string): string {
  return list.slice(list.lastIndexOf(',') + 1).trim()
}

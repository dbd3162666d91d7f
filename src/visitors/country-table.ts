import ipaddr from 'ipaddr.js'
import { type CountryResponse, open, type Reader } from 'maxmind'
import { isCountryCode } from './country-names.ts'

type Reading = CountryResponse & { country_code?: unknown }

/**
 * The ISO 3166-1 alpha-2 code of a normalised address in one file's opinion; undefined for the empty
 * string, addresses that are not public, and where the file has nothing.
 */
export type CountryTable = (address: string) => string | undefined

const localRanges = new Set([
  ...['unspecified', 'loopback', 'private', 'linkLocal', 'uniqueLocal', 'carrierGradeNat'],
  ...['broadcast', 'multicast'],
])

/**
 * Reads a table of addresses and countries, in the layout of MaxMind (`country.iso_code`) or that of
 * ip-location-db. Throws an Error naming the file if it cannot be read.
 */
export async function openCountryTable(path: string): Promise<CountryTable> {
  try {
    // The library's own watcher crashes on a half-written file, so it is not asked to watch.
    const reader = await open<CountryResponse>(path)
    // A file whose beginning and end do not belong together shows in the first look-ups.
    for (const address of ['8.8.8.8', '193.0.0.1', '255.255.255.254']) reader.get(address)
    return createTable(reader)
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    throw new Error(`cannot read the country data in ${path}: ${problem}`, { cause: error })
  }
}

/** What is remembered of 65,536 addresses whose first two numbers are the same. */
const MIXED = 'mixed'
const NONE = 'none'
const ALL = 128

/**
 * Remembers the answer for all addresses that share their first two numbers where the file has one
 * for them all, which is so for five of six addresses and takes a tenth of a look-up.
 */
function createTable(reader: Reader<CountryResponse>): CountryTable {
  const byPrefix: (string | undefined)[] = new Array(65_536)

  function decide(address: string): string {
    if (isLocal(address)) return NONE
    const { code, bits } = find(reader, address)
    return bits > 16 ? MIXED : (code ?? NONE)
  }

  return (address) => {
    if (address === '') return undefined
    const prefix = firstTwoNumbers(address)
    if (prefix === -1) return isLocal(address) ? undefined : find(reader, address).code
    const known = byPrefix[prefix] ?? decide(address)
    byPrefix[prefix] = known
    if (known === MIXED) return find(reader, address).code
    return known === NONE ? undefined : known
  }
}

/** The first 16 bits of an IPv4 address in dotted decimal, -1 for IPv6. */
function firstTwoNumbers(address: string): number {
  const first = address.indexOf('.')
  if (first === -1) return -1
  const second = address.indexOf('.', first + 1)
  return Number(address.slice(0, first)) * 256 + Number(address.slice(first + 1, second))
}

function find(
  reader: Reader<CountryResponse>,
  address: string,
): { code: string | undefined; bits: number } {
  try {
    const [record, bits]: [Reading | null, number] = reader.getWithPrefixLength(address)
    const code: unknown = record?.country?.iso_code ?? record?.country_code
    const upper = typeof code === 'string' ? code.toUpperCase() : ''
    return { code: isCountryCode(upper) ? upper : undefined, bits }
  } catch {
    // A table for IPv4 alone, or a damaged entry: one visitor without a country.
    return { code: undefined, bits: ALL }
  }
}

/** Addresses that belong to no country, whatever a table says; for IPv4 the first 16 bits decide. */
function isLocal(address: string): boolean {
  return localRanges.has(ipaddr.parse(address).range())
}

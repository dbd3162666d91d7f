import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import ipaddr from 'ipaddr.js'
import { type CountryResponse, Reader } from 'maxmind'
import { createLru } from '../concurrency/memo.ts'
import { parseIPv4 } from './address.ts'
import { isCountryCode } from './country-names.ts'

type CountryRecord = CountryResponse & { country_code?: unknown }

export type CountryTable = {
  /**
   * Returns the ISO 3166-1 alpha-2 code of a normalized IP address, or undefined if the address is
   * empty, not public or unknown.
   */
  find(address: string): string | undefined
  /** The type in the file's metadata. */
  databaseType: string
  builtAt: Date
}

const localRanges = new Set([
  'unspecified',
  'loopback',
  'private',
  'linkLocal',
  'uniqueLocal',
  'carrierGradeNat',
  'broadcast',
  'multicast',
])

/**
 * Reads a table of IP addresses and countries in the format of MaxMind (`country.iso_code`) or
 * ip-location-db. Throws an Error naming the file if it cannot be read.
 */
export async function openCountryTable(path: string): Promise<CountryTable> {
  try {
    return createCountryTable(await readFile(path))
  } catch (error) {
    throw createTableError(path, error)
  }
}

/** Like `openCountryTable`, but reads the file synchronously. */
export function openCountryTableSync(path: string): CountryTable {
  try {
    return createCountryTable(readFileSync(path))
  } catch (error) {
    throw createTableError(path, error)
  }
}

function createCountryTable(content: Buffer): CountryTable {
  const reader = new Reader<CountryResponse>(content, { cache: createLru({ max: MAX_CACHED }) })
  // A few lookups detect an inconsistent file.
  for (const address of ['8.8.8.8', '193.0.0.1', '255.255.255.254']) reader.get(address)
  const { databaseType, buildEpoch } = reader.metadata
  return { find: createCachedLookup(reader), databaseType, builtAt: buildEpoch }
}

function createTableError(path: string, error: unknown): Error {
  const problem = error instanceof Error ? error.message : String(error)
  return new Error(`cannot read the country data in ${path}: ${problem}`, { cause: error })
}

/** The maximum number of records that stay decoded. */
const MAX_CACHED = 10_000
/** Cache entries other than countries: no country, and several countries. */
const NO_COUNTRY = 'none'
const MIXED = 'mixed'
/** The prefix length of a result that applies only to the given address. */
const FULL_LENGTH = 128

/**
 * Creates a cached lookup. If all IPv4 addresses with the same first two numbers have the same
 * country, which is the case for five of six addresses, one cache entry covers them. Otherwise an
 * entry covers the first three numbers. A lookup in the file takes ten times as long.
 */
function createCachedLookup(reader: Reader<CountryResponse>): CountryTable['find'] {
  /** The values of cache entries by number. Number 0 stands for a missing entry. */
  const results: string[] = ['']
  const cacheOfPrefixes = new Uint8Array(65_536)
  const cachesByPrefix = new Map<number, Uint8Array>()

  /** Returns the country that all addresses with the same prefix share, or why there is none. */
  function readShared(address: string, prefixLength: number): string {
    if (prefixLength === 16 && isLocal(address)) return NO_COUNTRY
    const { code, bits } = find(reader, address)
    return bits > prefixLength ? MIXED : (code ?? NO_COUNTRY)
  }

  /** Returns the value of a cache slot. Looks it up if it is missing. */
  function readSlot(
    cache: Uint8Array,
    slot: number,
    address: string,
    prefixLength: number,
  ): string {
    const cached = results[cache[slot] as number]
    if (cached) return cached
    const result = readShared(address, prefixLength)
    const number = results.indexOf(result)
    // All 249 country codes fit.
    cache[slot] = number === -1 ? results.push(result) - 1 : number
    return result
  }

  function findCached(address: string, bits: number): string {
    const prefix = Math.floor(bits / 65_536)
    const result = readSlot(cacheOfPrefixes, prefix, address, 16)
    if (result !== MIXED) return result
    let cache = cachesByPrefix.get(prefix)
    if (!cache) {
      cache = new Uint8Array(256)
      cachesByPrefix.set(prefix, cache)
    }
    return readSlot(cache, (bits >>> 8) & 255, address, 24)
  }

  return (address) => {
    if (address === '') return undefined
    const bits = parseIPv4(address)
    if (bits === -1) return isLocal(address) ? undefined : find(reader, address).code
    const result = findCached(address, bits)
    if (result === MIXED) return find(reader, address).code
    return result === NO_COUNTRY ? undefined : result
  }
}

function find(
  reader: Reader<CountryResponse>,
  address: string,
): { code: string | undefined; bits: number } {
  try {
    const [record, bits]: [CountryRecord | null, number] = reader.getWithPrefixLength(address)
    const code: unknown = record?.country?.iso_code ?? record?.country_code
    const upper = typeof code === 'string' ? code.toUpperCase() : ''
    return { code: isCountryCode(upper) ? upper : undefined, bits }
  } catch {
    // If the table has only IPv4 addresses or the entry is damaged, the visitor has no country.
    return { code: undefined, bits: FULL_LENGTH }
  }
}

/**
 * Returns whether an address cannot belong to a country, whatever the table says. For an IPv4
 * address, this depends only on its first 16 bits.
 */
function isLocal(address: string): boolean {
  return localRanges.has(ipaddr.parse(address).range())
}

import ipaddr from 'ipaddr.js'
import { type CountryResponse, open, type Reader } from 'maxmind'
import { ipv4Number } from './address.ts'
import { isCountryCode } from './country-names.ts'

type Reading = CountryResponse & { country_code?: unknown }

export type CountryTable = {
  /**
   * Returns the ISO 3166-1 alpha-2 code of a normalized address, or undefined if it is empty, not
   * public or unknown.
   */
  find(address: string): string | undefined
  /** The type in the file's metadata. */
  databaseType: string
  builtAt: Date
}

const localRanges = new Set([
  ...['unspecified', 'loopback', 'private', 'linkLocal', 'uniqueLocal', 'carrierGradeNat'],
  ...['broadcast', 'multicast'],
])

/**
 * Reads a table of addresses and countries in the format of MaxMind (`country.iso_code`) or
 * ip-location-db. Throws an Error naming the file if it cannot be read.
 */
export async function openCountryTable(path: string): Promise<CountryTable> {
  try {
    // The library's own file watcher is not used, because it crashes on an incomplete file.
    const reader = await open<CountryResponse>(path)
    // Detects an inconsistent file by a few lookups.
    for (const address of ['8.8.8.8', '193.0.0.1', '255.255.255.254']) reader.get(address)
    const { databaseType, buildEpoch } = reader.metadata
    return { find: createFind(reader), databaseType, builtAt: buildEpoch }
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    throw new Error(`cannot read the country data in ${path}: ${problem}`, { cause: error })
  }
}

/** Cache entries other than countries: no country, and differing countries. */
const NO_COUNTRY = 'none'
const MIXED = 'mixed'
const ALL = 128

/**
 * Caches the result for all IPv4 addresses with the same first two numbers if the file has one
 * country for them, as for five of six addresses, and otherwise with the same first three. A lookup
 * takes ten times as long.
 */
function createFind(reader: Reader<CountryResponse>): CountryTable['find'] {
  const answers: string[] = ['']
  const byTwo = new Uint8Array(65_536)
  const byThree = new Map<number, Uint8Array>()

  function decide(address: string, shared: number): string {
    if (shared === 16 && isLocal(address)) return NO_COUNTRY
    const { code, bits } = find(reader, address)
    return bits > shared ? MIXED : (code ?? NO_COUNTRY)
  }

  /** Returns the cached value of a slot (1 or higher), computing it if needed. */
  function remember(known: Uint8Array, slot: number, address: string, shared: number): string {
    const answer = answers[known[slot] as number]
    if (answer) return answer
    const decided = decide(address, shared)
    const number = answers.indexOf(decided)
    // There are 249 country codes, so all of them fit.
    known[slot] = number === -1 ? answers.push(decided) - 1 : number
    return decided
  }

  function answerOf(address: string, bits: number): string {
    const two = Math.floor(bits / 65_536)
    const answer = remember(byTwo, two, address, 16)
    if (answer !== MIXED) return answer
    let known = byThree.get(two)
    if (!known) {
      known = new Uint8Array(256)
      byThree.set(two, known)
    }
    return remember(known, (bits >>> 8) & 255, address, 24)
  }

  return (address) => {
    if (address === '') return undefined
    const bits = ipv4Number(address)
    if (bits === -1) return isLocal(address) ? undefined : find(reader, address).code
    const answer = answerOf(address, bits)
    if (answer === MIXED) return find(reader, address).code
    return answer === NO_COUNTRY ? undefined : answer
  }
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
    // For an IPv4-only table or a damaged entry, the visitor has no country.
    return { code: undefined, bits: ALL }
  }
}

/**
 * Returns whether an address belongs to no country, whatever the table says. For IPv4, the first 16
 * bits decide.
 */
function isLocal(address: string): boolean {
  return localRanges.has(ipaddr.parse(address).range())
}

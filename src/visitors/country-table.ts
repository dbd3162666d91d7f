import ipaddr from 'ipaddr.js'
import { type CountryResponse, open, type Reader } from 'maxmind'
import { ipv4Number } from './address.ts'
import { isCountryCode } from './country-names.ts'

type Reading = CountryResponse & { country_code?: unknown }

export type CountryTable = {
  /**
   * Returns the ISO 3166-1 alpha-2 code of a normalized address, or undefined for the empty string,
   * addresses that are not public, and those that the file does not know.
   */
  find(address: string): string | undefined
  /** What the file says about itself. */
  databaseType: string
  builtAt: Date
}

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
    const { databaseType, buildEpoch } = reader.metadata
    return { find: createFind(reader), databaseType, builtAt: buildEpoch }
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    throw new Error(`cannot read the country data in ${path}: ${problem}`, { cause: error })
  }
}

/** In place of a country: that there is none, and that not all of the addresses are in the same. */
const NONE = 'none'
const MIXED = 'mixed'
const ALL = 128

/**
 * Remembers the answer for all IPv4 addresses that share their first two numbers where the file has
 * one for them all, which is so for five of six addresses, and for those that share three elsewhere. A
 * look-up takes ten times as long.
 */
function createFind(reader: Reader<CountryResponse>): CountryTable['find'] {
  const answers: string[] = ['']
  const byTwo = new Uint8Array(65_536)
  const byThree = new Map<number, Uint8Array>()

  function decide(address: string, shared: number): string {
    if (shared === 16 && isLocal(address)) return NONE
    const { code, bits } = find(reader, address)
    return bits > shared ? MIXED : (code ?? NONE)
  }

  /** What is remembered in a slot, from 1 on; made out if nothing is. */
  function remember(known: Uint8Array, slot: number, address: string, shared: number): string {
    const answer = answers[known[slot] as number]
    if (answer) return answer
    const decided = decide(address, shared)
    const number = answers.indexOf(decided)
    // There are 249 codes of countries, so all of them fit.
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
    return answer === NONE ? undefined : answer
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
    // A table for IPv4 alone, or a damaged entry: one visitor without a country.
    return { code: undefined, bits: ALL }
  }
}

/** Addresses that belong to no country, whatever a table says; for IPv4 the first 16 bits decide. */
function isLocal(address: string): boolean {
  return localRanges.has(ipaddr.parse(address).range())
}

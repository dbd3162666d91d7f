import { stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import countries from 'i18n-iso-countries/index.js'
import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' }
import ipaddr from 'ipaddr.js'
import { type CountryResponse, open, type Reader } from 'maxmind'
import { normalizeAddress } from './address.ts'

export type CountryLookup = Awaited<ReturnType<typeof createCountryLookup>>

type Reading = CountryResponse & { country_code?: unknown }
/** The country of a normalised address, in one file's opinion. */
type CountryTable = (address: string) => string | undefined

type Options = {
  /** The operator's own MMDB file; undefined means the data that comes with the program. */
  file?: string | undefined
  log?: { warn(details: object, message: string): void } | undefined
  /** How often the operator's file is looked at, in milliseconds. */
  pollMs?: number | undefined
}

const localRanges = new Set([
  ...['unspecified', 'loopback', 'private', 'linkLocal', 'uniqueLocal', 'carrierGradeNat'],
  ...['broadcast', 'multicast'],
])

countries.registerLocale(english)

/**
 * Opens the table of addresses and countries. An operator's file that is replaced is taken up within
 * seconds; a broken or missing one leaves the old data in use, is logged once and tried again.
 * Throws an Error naming the file if it cannot be read at the start.
 */
export async function createCountryLookup({ file, log, pollMs = 2_000 }: Options = {}) {
  const path = file ?? defaultFile()
  let version = await fileVersion(path).catch(() => 'missing')
  let table = await openTable(path)
  let complaint = ''
  let running: Promise<void> | undefined

  async function load(onlyIfChanged: boolean) {
    try {
      // Before the reading: what is written meanwhile makes another version.
      const found = await fileVersion(path)
      if (onlyIfChanged && found === version) return
      table = await openTable(path)
      version = found
      complaint = ''
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      if (problem !== complaint) {
        log?.warn({ file: path, problem }, 'country data not reloaded, the old data stays in use')
      }
      complaint = problem
    }
  }

  async function once(onlyIfChanged: boolean) {
    running ??= load(onlyIfChanged).finally(() => {
      running = undefined
    })
    await running
  }

  const timer = file === undefined ? undefined : setInterval(() => void once(true), pollMs)
  timer?.unref()

  return {
    /** The ISO 3166-1 alpha-2 code of a public address in upper case, undefined where not known. */
    lookup(ip: string): string | undefined {
      return table(normalizeAddress(ip))
    },

    /** Reads the file again now; on failure the old data stays in use and a warning is logged. */
    async reload(): Promise<void> {
      await running
      await once(false)
    },

    close(): void {
      clearInterval(timer)
    },
  }
}

/** The English name of an ISO 3166-1 alpha-2 code, `Unknown` for no code or an unknown one. */
export function countryName(code: string | undefined): string {
  return namesByCode.get(code?.toUpperCase() ?? '') ?? 'Unknown'
}

/**
 * The ISO 3166-1 alpha-2 code, in upper case, of such a code or of an English country name in any
 * case, with or without accents. Common short names (`USA`, `UK`, `Russia`) are known as well.
 */
export function countryCode(nameOrCode: string): string | undefined {
  const code = nameOrCode.trim().toUpperCase()
  return namesByCode.has(code) ? code : codesByName.get(plain(nameOrCode))
}

const namesByCode = new Map(Object.entries(countries.getNames('en')))
const codesByName = englishNames()

/** The library's names first; then those of CLDR, which has the everyday ones (`Moldova`, `Syria`). */
function englishNames(): Map<string, string> {
  const all = new Map<string, string>()
  const everyday = new Intl.DisplayNames('en', { type: 'region' })
  const aliases = Object.entries(countries.getNames('en', { select: 'all' }))
  for (const [code, names] of [
    ...[...namesByCode].map(([code, name]) => [code, [name]] as const),
    ...aliases,
    ...[...namesByCode.keys()].map((code) => [code, [everyday.of(code) ?? code]] as const),
  ]) {
    for (const name of names) if (!all.has(plain(name))) all.set(plain(name), code)
  }
  return all
}

/** One spelling for comparison: lower case, no accents, `&` as a word, straight apostrophes. */
function plain(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{Mark}/gu, '')
    .replace(/’/g, "'")
    .replace(/&/g, 'and')
    .trim()
    .replace(/\s+/g, ' ')
    .toLowerCase()
}

function defaultFile(): string {
  const { resolve } = createRequire(import.meta.url)
  return resolve('@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb')
}

async function fileVersion(path: string): Promise<string> {
  const { mtimeMs, size, ino } = await stat(path)
  return `${mtimeMs} ${size} ${ino}`
}

async function openTable(path: string): Promise<CountryTable> {
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

/** Reads both the layout of MaxMind (`country.iso_code`) and that of ip-location-db. */
function find(
  reader: Reader<CountryResponse>,
  address: string,
): { code: string | undefined; bits: number } {
  try {
    const [record, bits]: [Reading | null, number] = reader.getWithPrefixLength(address)
    const code: unknown = record?.country?.iso_code ?? record?.country_code
    const upper = typeof code === 'string' ? code.toUpperCase() : ''
    return { code: namesByCode.has(upper) ? upper : undefined, bits }
  } catch {
    // A table for IPv4 alone, or a damaged entry: one visitor without a country.
    return { code: undefined, bits: ALL }
  }
}

/** Addresses that belong to no country, whatever a table says; for IPv4 the first 16 bits decide. */
function isLocal(address: string): boolean {
  return localRanges.has(ipaddr.parse(address).range())
}

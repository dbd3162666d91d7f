import { stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import countries from 'i18n-iso-countries/index.js'
import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' }
import ipaddr from 'ipaddr.js'
import { type CountryResponse, open, type Reader } from 'maxmind'
import { normalizeAddress } from './address.ts'

export type CountryLookup = Awaited<ReturnType<typeof createCountryLookup>>

type Database = Reader<CountryResponse>

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
  let database = await openDatabase(path)
  let complaint = ''
  let running: Promise<void> | undefined

  async function load(onlyIfChanged: boolean) {
    try {
      // Before the reading: what is written meanwhile makes another version.
      const found = await fileVersion(path)
      if (onlyIfChanged && found === version) return
      database = await openDatabase(path)
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
      return find(database, normalizeAddress(ip))
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

async function openDatabase(path: string): Promise<Database> {
  try {
    // The library's own watcher crashes on a half-written file, so it is not asked to watch.
    const database = await open<CountryResponse>(path)
    // A file whose beginning and end do not belong together shows in the first look-ups.
    for (const address of ['8.8.8.8', '193.0.0.1', '255.255.255.254']) database.get(address)
    return database
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    throw new Error(`cannot read the country data in ${path}: ${problem}`, { cause: error })
  }
}

/** Reads both the layout of MaxMind (`country.iso_code`) and that of ip-location-db. */
function find(database: Database, address: string): string | undefined {
  if (address === '' || isLocal(address)) return undefined
  try {
    const record: (CountryResponse & { country_code?: unknown }) | null = database.get(address)
    const code: unknown = record?.country?.iso_code ?? record?.country_code
    const upper = typeof code === 'string' ? code.toUpperCase() : ''
    return namesByCode.has(upper) ? upper : undefined
  } catch {
    // A table for IPv4 alone, or a damaged entry: one visitor without a country.
    return undefined
  }
}

/** Addresses that belong to no country, whatever a table says. */
function isLocal(address: string): boolean {
  const second = address.indexOf('.', address.indexOf('.') + 1)
  if (second === -1) return localRanges.has(ipaddr.parse(address).range())
  // The first two numbers decide for IPv4, and parsing takes longer than finding the country.
  const prefix = address.slice(0, second)
  const known = localPrefixes.get(prefix)
  if (known !== undefined) return known
  const local = localRanges.has(ipaddr.parse(address).range())
  localPrefixes.set(prefix, local)
  return local
}

/** At most 65,536 entries. */
const localPrefixes = new Map<string, boolean>()

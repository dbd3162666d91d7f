import countries from 'i18n-iso-countries/index.js'
import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' }

countries.registerLocale(english)

/**
 * Returns the common English name of a country from CLDR (`United States`, `South Korea`) by its
 * ISO 3166-1 alpha-2 code, or `Unknown`.
 */
export function countryName(code: string | undefined): string {
  return commonNames().get(code?.toUpperCase() ?? '') ?? 'Unknown'
}

/**
 * Returns the uppercase ISO 3166-1 alpha-2 code for a code or an English country name, ignoring
 * case and accents. Also accepts short names (`USA`, `UK`, `Russia`).
 */
export function countryCode(nameOrCode: string): string | undefined {
  const code = nameOrCode.trim().toUpperCase()
  if (namesByCode.has(code)) return code
  codesByName ??= englishNames()
  return codesByName.get(normalize(nameOrCode))
}

/** Returns the English names of all countries. `countryCode` accepts all of them. */
export function countryNames(): string[] {
  return [...commonNames().values()].sort((one, other) => one.localeCompare(other, 'en'))
}

const namesByCode = new Map(Object.entries(countries.getNames('en')))
/** Created on first use, because creating it is slow and it is not needed at startup. */
let codesByName: ReadonlyMap<string, string> | undefined
let cachedCommonNames: ReadonlyMap<string, string> | undefined

function commonNames(): ReadonlyMap<string, string> {
  if (cachedCommonNames) return cachedCommonNames
  const names = new Intl.DisplayNames('en', { type: 'region' })
  cachedCommonNames = new Map(
    [...namesByCode].map(([code, name]) => [code, names.of(code) ?? name]),
  )
  return cachedCommonNames
}

/**
 * Returns the library's names and those of CLDR, which include common names (`Moldova`, `Syria`).
 */
function englishNames(): Map<string, string> {
  const all = new Map<string, string>()
  const aliases = Object.entries(countries.getNames('en', { select: 'all' }))
  for (const [code, names] of [
    ...[...namesByCode].map(([code, name]) => [code, [name]] as const),
    ...aliases,
    ...[...commonNames()].map(([code, name]) => [code, [name]] as const),
  ]) {
    for (const name of names) if (!all.has(normalize(name))) all.set(normalize(name), code)
  }
  return all
}

/** Normalizes a name for comparison: lowercase, no accents, `&` as a word, straight apostrophes. */
function normalize(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{Mark}/gu, '')
    .replace(/’/g, "'")
    .replace(/&/g, 'and')
    .trim()
    .replace(/\s+/g, ' ')
    .toLowerCase()
}

/** Returns whether a text is an uppercase ISO 3166-1 alpha-2 country code. */
export function isCountryCode(code: string): boolean {
  return namesByCode.has(code)
}

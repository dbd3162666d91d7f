import countries from 'i18n-iso-countries/index.js'
import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' }

countries.registerLocale(english)

/**
 * Returns the common English name of a country from CLDR (`United States`, `South Korea`) by its
 * ISO 3166-1 alpha-2 code, or `Unknown`.
 */
export function getCountryName(code: string | undefined): string {
  return getCommonNames().get(code?.toUpperCase() ?? '') ?? 'Unknown'
}

/**
 * Returns the uppercase ISO 3166-1 alpha-2 code for a code or an English country name, ignoring
 * case and accents. Also accepts short names (`USA`, `UK`, `Russia`). Returns undefined for any
 * other text.
 */
export function findCountryCode(nameOrCode: string): string | undefined {
  const code = nameOrCode.trim().toUpperCase()
  if (namesByCode.has(code)) return code
  codesByName ??= collectEnglishNames()
  return codesByName.get(normalize(nameOrCode))
}

/** Returns the English names of all countries. `findCountryCode` accepts all of them. */
export function listCountryNames(): string[] {
  return [...getCommonNames().values()].sort((a, b) => a.localeCompare(b, 'en'))
}

const namesByCode = new Map(Object.entries(countries.getNames('en')))
/** Created on first use, because creating it is slow and it is not needed at startup. */
let codesByName: ReadonlyMap<string, string> | undefined
let cachedCommonNames: ReadonlyMap<string, string> | undefined

function getCommonNames(): ReadonlyMap<string, string> {
  if (cachedCommonNames) return cachedCommonNames
  const names = new Intl.DisplayNames('en', { type: 'region' })
  cachedCommonNames = new Map(
    [...namesByCode].map(([code, name]) => [code, names.of(code) ?? name]),
  )
  return cachedCommonNames
}

/**
 * Returns the codes by normalized English name, both from the library and from CLDR, which has
 * common names (`Moldova`, `Syria`).
 */
function collectEnglishNames(): Map<string, string> {
  const all = new Map<string, string>()
  const aliases = Object.entries(countries.getNames('en', { select: 'all' }))
  for (const [code, names] of [
    ...[...namesByCode].map(([code, name]) => [code, [name]] as const),
    ...aliases,
    ...[...getCommonNames()].map(([code, name]) => [code, [name]] as const),
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

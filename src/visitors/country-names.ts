import countries from 'i18n-iso-countries/index.js'
import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' }

countries.registerLocale(english)

/**
 * Returns the common English name of an ISO 3166-1 alpha-2 code from CLDR (`United States`, `South
 * Korea`), or `Unknown`.
 */
export function countryName(code: string | undefined): string {
  return everydayNames().get(code?.toUpperCase() ?? '') ?? 'Unknown'
}

/**
 * Returns the uppercase ISO 3166-1 alpha-2 code for a code or an English country name, ignoring
 * case and accents. Also knows short names (`USA`, `UK`, `Russia`).
 */
export function countryCode(nameOrCode: string): string | undefined {
  const code = nameOrCode.trim().toUpperCase()
  if (namesByCode.has(code)) return code
  codesByName ??= englishNames()
  return codesByName.get(plain(nameOrCode))
}

/** Returns the English names of all countries, all accepted by `countryCode`. */
export function countryNames(): string[] {
  return [...everydayNames().values()].sort((one, other) => one.localeCompare(other, 'en'))
}

const namesByCode = new Map(Object.entries(countries.getNames('en')))
/** Created on first use, because it takes a while and is not needed at startup. */
let codesByName: ReadonlyMap<string, string> | undefined
let everyday: ReadonlyMap<string, string> | undefined

function everydayNames(): ReadonlyMap<string, string> {
  if (everyday) return everyday
  const names = new Intl.DisplayNames('en', { type: 'region' })
  everyday = new Map([...namesByCode].map(([code, name]) => [code, names.of(code) ?? name]))
  return everyday
}

/** The library's names, and those of CLDR, which include common ones (`Moldova`, `Syria`). */
function englishNames(): Map<string, string> {
  const all = new Map<string, string>()
  const aliases = Object.entries(countries.getNames('en', { select: 'all' }))
  for (const [code, names] of [
    ...[...namesByCode].map(([code, name]) => [code, [name]] as const),
    ...aliases,
    ...[...everydayNames()].map(([code, name]) => [code, [name]] as const),
  ]) {
    for (const name of names) if (!all.has(plain(name))) all.set(plain(name), code)
  }
  return all
}

/** Normalizes a name for comparison: lowercase, no accents, `&` as a word, straight apostrophes. */
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

/** Returns whether a text is an uppercase ISO 3166-1 alpha-2 country code. */
export function isCountryCode(code: string): boolean {
  return namesByCode.has(code)
}

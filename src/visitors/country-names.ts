import countries from 'i18n-iso-countries/index.js'
import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' }

countries.registerLocale(english)

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
  if (namesByCode.has(code)) return code
  codesByName ??= englishNames()
  return codesByName.get(plain(nameOrCode))
}

/** The English names of all countries, each of which `countryCode` reads. */
export function countryNames(): string[] {
  return [...namesByCode.values()].sort((one, other) => one.localeCompare(other, 'en'))
}

const namesByCode = new Map(Object.entries(countries.getNames('en')))
/** Made when first asked for: it takes a while, and a start should not wait for it. */
let codesByName: ReadonlyMap<string, string> | undefined

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

/** Whether a text is the ISO 3166-1 alpha-2 code of a country, in upper case. */
export function isCountryCode(code: string): boolean {
  return namesByCode.has(code)
}

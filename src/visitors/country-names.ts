import countries from 'i18n-iso-countries/index.js'
import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' }

countries.registerLocale(english)

/**
 * The everyday English name of an ISO 3166-1 alpha-2 code, as CLDR has it (`United States`, `South Korea`),
 * `Unknown` for no code or an unknown one.
 */
export function countryName(code: string | undefined): string {
  return everydayNames().get(code?.toUpperCase() ?? '') ?? 'Unknown'
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
  return [...everydayNames().values()].sort((one, other) => one.localeCompare(other, 'en'))
}

const namesByCode = new Map(Object.entries(countries.getNames('en')))
/** Made when first asked for: they take a while, and a start should not wait for them. */
let codesByName: ReadonlyMap<string, string> | undefined
let everyday: ReadonlyMap<string, string> | undefined

function everydayNames(): ReadonlyMap<string, string> {
  if (everyday) return everyday
  const names = new Intl.DisplayNames('en', { type: 'region' })
  everyday = new Map([...namesByCode].map(([code, name]) => [code, names.of(code) ?? name]))
  return everyday
}

/** The library's names first; then those of CLDR, which has the everyday ones (`Moldova`, `Syria`). */
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

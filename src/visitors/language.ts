import Negotiator from 'negotiator'
import { lazy, memo } from '../concurrency/memo.ts'

const maxHeaderLength = 256

const languageNames = lazy(
  () => new Intl.DisplayNames('en', { type: 'language', fallback: 'none' }),
)
const regionNames = lazy(() => new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }))

/**
 * Returns the canonical form of a language target: `en`, or `en-gb` with a region. Accepts ISO
 * 639-1 codes in any case with an optional region (ISO 3166-1 or UN M.49, after `-` or `_`), and
 * English language names (`French`). Replaces deprecated codes (`iw` by `he`, BCP 47). Returns
 * undefined for unknown names and regions.
 */
export function parseLanguageTarget(tag: string): string | undefined {
  const normalized = tag.trim().toLowerCase()
  if (!/^[a-z]{2}(?:[-_](?:[a-z]{2}|[0-9]{3}))?$/.test(normalized))
    return codesByName().get(normalized)
  const locale = parseTag(normalized.replace('_', '-'))
  if (!locale || languageNames().of(locale.language) === undefined) return undefined
  if (locale.region !== undefined && !isRegion(locale.region)) return undefined
  return toTarget(locale)
}

/**
 * Returns the languages of an `Accept-Language` header (RFC 9110, section 12.5.4) as lowercase
 * tags, preferred first. Omits `*` and languages with `q=0`. Reads only the first 256 characters.
 */
export function parseAcceptLanguage(header: string | undefined): string[] {
  if (!header) return []
  const negotiator = new Negotiator({ headers: { 'accept-language': truncate(header) } })
  return negotiator
    .languages()
    .map((tag) => tag.toLowerCase())
    .filter((tag) => /^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/.test(tag))
}

/**
 * Returns the visitor's preferred language without its region: the lowercase ISO 639-1 code, or the
 * 639-2 code if there is no shorter one. Returns undefined if no language has a known name. This
 * limits the labels that visitors can cause to a few hundred.
 */
export function findPreferredLanguage(header: string | undefined): string | undefined {
  for (const tag of parseAcceptLanguage(header)) {
    const language = parseTag(tag)?.language
    if (language !== undefined && /^[a-z]{2,3}$/.test(language) && languageNames().of(language)) {
      return language
    }
  }
  return undefined
}

/** Returns the English name of a language code, or `Unknown`. */
export function getLanguageName(code: string | undefined): string {
  const name = code && /^[a-z]{2,3}$/.test(code) ? languageNames().of(code) : undefined
  if (code === undefined || name === undefined) return 'Unknown'
  if (code.length === 3) threeLetterCodes.set(name, code)
  return name
}

/**
 * Returns the code for the English name of a language, or undefined. Knows all codes of two
 * letters, and those of three letters for which `getLanguageName` has already returned the name.
 */
export function findLanguageCode(name: string): string | undefined {
  return codesByName().get(name.toLowerCase()) ?? threeLetterCodes.get(name)
}

/**
 * Codes of three letters by name. They are collected as they occur, because finding all of them
 * would take a second.
 */
const threeLetterCodes = new Map<string, string>()

/**
 * Returns the display name of a language target: its English name, or its code if it has a region.
 */
export function toLanguageLabel(target: string): string {
  const name = target.length === 2 ? languageNames().of(target) : undefined
  return name !== undefined && parseLanguageTarget(name) === target ? name : target
}

/** Returns the distinct English names of the languages that `parseLanguageTarget` accepts. */
export function listLanguageNames(): string[] {
  const codes = [...new Set(codesByName().values())]
  const labels = codes.map(toLanguageLabel).filter((label, index) => label !== codes[index])
  return labels.sort((a, b) => a.localeCompare(b, 'en'))
}

/**
 * Returns the index of the target (in the form of `parseLanguageTarget`) that best matches the
 * visitor, or -1. The visitor's order takes precedence. For each language, a target with its region
 * (`en-gb`) is preferred over one without a region (`en`). Scripts are ignored (`zh-Hant-TW`
 * matches `zh-tw`, then `zh`).
 */
export function matchLanguage(targets: readonly string[], header: string | undefined): number {
  for (const tag of parseAcceptLanguage(header)) {
    const locale = parseTag(tag)
    if (!locale) continue
    const exact = targets.indexOf(toTarget(locale))
    const index = exact === -1 ? targets.indexOf(locale.language) : exact
    if (index !== -1) return index
  }
  return -1
}

/** Truncates a long header at a comma, because a truncated tag may be another language. */
function truncate(header: string): string {
  if (header.length <= maxHeaderLength) return header
  return header.slice(0, Math.max(0, header.lastIndexOf(',', maxHeaderLength)))
}

const parseTag = memo((tag): Intl.Locale | undefined => {
  try {
    return new Intl.Locale(tag)
  } catch {
    return undefined
  }
}, 1000)

function toTarget({ language, region }: Intl.Locale): string {
  return region === undefined ? language : `${language}-${region.toLowerCase()}`
}

/** Returns whether a region is real. `ZZ` has the name "Unknown Region". */
function isRegion(region: string): boolean {
  return region !== 'ZZ' && regionNames().of(region) !== undefined
}

const codesByName = lazy(
  () =>
    new Map(
      [...twoLetterCodes()].flatMap((code) => {
        const name = languageNames().of(code)
        return name === undefined
          ? []
          : [[name.toLowerCase(), new Intl.Locale(code).language] as const]
      }),
    ),
)

function* twoLetterCodes(): Generator<string> {
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  for (const first of letters) for (const second of letters) yield first + second
}

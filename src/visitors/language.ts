import Negotiator from 'negotiator'
import { lazy } from '../concurrency/lazy.ts'

const maxHeaderLength = 256

const languageNames = lazy(
  () => new Intl.DisplayNames('en', { type: 'language', fallback: 'none' }),
)
const regionNames = lazy(() => new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }))

/**
 * The key under which a link keeps a language target: `en`, or `en-gb` with a region. Takes ISO 639-1
 * codes in any case with an optional region (ISO 3166-1 or UN M.49, after `-` or `_`) and English
 * language names (`French`). Withdrawn codes become their successors (`iw` is `he`, BCP 47). Unknown
 * names and regions give undefined.
 */
export function languageTarget(tag: string): string | undefined {
  const wanted = tag.trim().toLowerCase()
  if (!/^[a-z]{2}(?:[-_](?:[a-z]{2}|[0-9]{3}))?$/.test(wanted)) return codesByName().get(wanted)
  const locale = parseTag(wanted.replace('_', '-'))
  if (!locale || languageNames().of(locale.language) === undefined) return undefined
  if (locale.region !== undefined && !isRegion(locale.region)) return undefined
  return targetKey(locale)
}

/**
 * The languages of an `Accept-Language` header (RFC 9110, section 12.5.4) as lower-case tags, the
 * preferred first, without `*` and what is refused by `q=0`. Only the first 256 characters are read.
 */
export function bestLanguages(header: string | undefined): string[] {
  if (!header) return []
  const negotiator = new Negotiator({ headers: { 'accept-language': cut(header) } })
  return negotiator
    .languages()
    .map((tag) => tag.toLowerCase())
    .filter((tag) => /^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/.test(tag))
}

/**
 * The code of the language that a visitor likes best, without its region: ISO 639-1, or 639-2 where
 * there is no shorter one, in lower case. Undefined where the header names none that has a name: of
 * those there are some hundreds, however many a visitor may invent.
 */
export function preferredLanguage(header: string | undefined): string | undefined {
  for (const tag of bestLanguages(header)) {
    const language = parseTag(tag)?.language
    if (language !== undefined && /^[a-z]{2,3}$/.test(language) && languageNames().of(language)) {
      return language
    }
  }
  return undefined
}

/** The English name of a language's code, `Unknown` for none and for one that has no name. */
export function languageName(code: string | undefined): string {
  return (code && /^[a-z]{2,3}$/.test(code) && languageNames().of(code)) || 'Unknown'
}

/** A target's language for people: its English name, or its code where it has a region. */
export function languageLabel(target: string): string {
  const name = target.length === 2 ? languageNames().of(target) : undefined
  return name !== undefined && languageTarget(name) === target ? name : target
}

/** The English names of the languages that `languageTarget` reads, each once. */
export function namesOfLanguages(): string[] {
  const codes = [...new Set(codesByName().values())]
  const labels = codes.map(languageLabel).filter((label, index) => label !== codes[index])
  return labels.sort((one, other) => one.localeCompare(other, 'en'))
}

/**
 * The index of the target (keys from `languageTarget`) that suits the visitor best, -1 if none does.
 * The visitor's order of preference comes first; for each language its region (`en-gb`) is looked for
 * before the language alone (`en`), and scripts are passed over (`zh-Hant-TW` is `zh-tw`, then `zh`).
 */
export function matchLanguage(targets: readonly string[], header: string | undefined): number {
  for (const tag of bestLanguages(header)) {
    const locale = parseTag(tag)
    if (!locale) continue
    const exact = targets.indexOf(targetKey(locale))
    const index = exact === -1 ? targets.indexOf(locale.language) : exact
    if (index !== -1) return index
  }
  return -1
}

/** A header that is too long ends at a comma, since half a tag may be another language. */
function cut(header: string): string {
  if (header.length <= maxHeaderLength) return header
  return header.slice(0, Math.max(0, header.lastIndexOf(',', maxHeaderLength)))
}

function parseTag(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag)
  } catch {
    return undefined
  }
}

function targetKey({ language, region }: Intl.Locale): string {
  return region === undefined ? language : `${language}-${region.toLowerCase()}`
}

/** `ZZ` has a name, "Unknown Region". */
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

import { customAlphabet } from 'nanoid'
import { type AppError, invalid } from '../errors.ts'

/** What texts around a link add to its end: punctuation, blanks and invisible characters. */
const APPENDED = /[/.,)\]>'"\s\p{Cf}\p{Default_Ignorable_Code_Point}]|[^\0-\x7f\P{P}]/u

const DOT_SEGMENT = /(?:^|\/)\.{1,2}(?:\/|$)/

/** Aliases are shorter, even decomposed and with some characters appended. */
const MAX_LENGTH = 512

/** Excludes 0 O o 1 l I i, because people also read short links aloud and type them from paper. */
const randomSeven = customAlphabet('23456789abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ', 7)

const ALIAS = /^[\p{L}\p{N}_-](?:[\p{L}\p{M}\p{N}_./-]{0,62}[\p{L}\p{M}\p{N}_-])?$/u
export const MAX_SEGMENTS = 8
/**
 * The maximum length in UTF-16 units. No character decomposes into more than six (U+16126 does).
 */
const MAX_DECOMPOSED = 64 * 6

/**
 * Invisible characters: format characters such as joiners and bidi controls, and all characters
 * that fonts may omit, such as Hangul fillers and variation selectors. The Khitan filler U+16FE4
 * and the Egyptian blanks U+13441 and U+13442 have no shape, although they are classified as
 * letters and marks.
 */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u{16fe4}\u{13441}\u{13442}]/u

/**
 * Combining marks that have no meaning or can be hidden by another character. Tested in NFD,
 * because NFC merges the first mark into the letter (for example `à` with a second grave accent).
 * https://www.unicode.org/reports/tr39/#Optional_Detection
 */
const DISALLOWED_MARKS = [
  // A mark without a letter before it.
  /(?<![\p{L}\p{M}])\p{M}/u,
  // A mark that surrounds or crosses the letter.
  /\p{Me}|[\u0334-\u0338]|[\u20d0-\u20ff]/u,
  // The same mark twice in a row, or more than four marks. U+1611E may be repeated: it forms
  // another vowel.
  /(?<=([^\P{Mn}\u{1611e}]))\1|(?<=\p{Mn}{4})\p{Mn}/u,
  // A dot above a letter that already has one.
  /(?<=\p{Soft_Dotted}\p{M}*)\u0307/u,
]

/** Words that the service uses as a first path segment, or might use later. */
const RESERVED = new Set(
  `api avatar b console docs favicon health internal mcp metrics oauth openapi qr r register u robots admin assets login logout
  shared static well-known favicon.ico favicon.svg openapi.json robots.txt sitemap.xml yourls-api.php`.split(
    /\s+/,
  ),
)

/** Returns seven random characters. There are 55^7, or about 1.5 × 10^12, such aliases. */
export const randomAlias = (): string => randomSeven()

/**
 * Returns a new alias in stored form (NFC). It has 1 to 64 letters, digits, `-` and `_` of any
 * script, and in the middle also `.` and `/`. It keeps its case, and its first segment is not a
 * reserved word.
 *
 * @throws AppError `invalid_input` naming `field`
 */
export function parseAlias(field: string, value: string): string {
  const alias = normalizeAlias(value)
  const [invisible] = INVISIBLE.exec(value.slice(0, MAX_DECOMPOSED)) ?? []
  if (invisible) {
    throw invalid(field, 'invisible_character', { character: formatCodePoint(invisible) })
  }
  if (alias === undefined) throw createShapeError(field, value)
  const decomposed = alias.normalize('NFD')
  const [mark] = DISALLOWED_MARKS.flatMap((pattern) => pattern.exec(decomposed)?.[0] ?? [])
  if (mark) {
    throw invalid(field, 'combining_mark', { mark: formatCodePoint(mark) })
  }
  if (isReserved(alias)) throw invalid(field, 'reserved_word')
  return alias
}

/**
 * Returns a new name of a page whose path has one segment, such as `/r/<slug>`: an alias without
 * dots and slashes.
 *
 * @throws AppError `invalid_input` naming `field`
 */
export function parseSlug(field: string, value: string): string {
  if (/[./]/.test(value)) throw invalid(field, 'alias_shape')
  return parseAlias(field, value)
}

/** Returns the error for a text that has not the shape of an alias. */
function createShapeError(field: string, value: string): AppError {
  if (value.split('/').length > MAX_SEGMENTS) {
    return invalid(field, 'at_most_segments', { max: MAX_SEGMENTS })
  }
  const isShape = /[./]/.test(value) && normalizeAlias(value.replaceAll(/[./]+/g, '_'))
  return invalid(field, isShape ? 'dots_in_middle' : 'alias_shape')
}

/** Returns whether the service uses the first segment of a path, or might use it later. */
function isReserved(alias: string): boolean {
  const [segment = ''] = alias.split('/', 1)
  return RESERVED.has(segment.toLowerCase())
}

/**
 * Returns the stored form of an alias that may exist, or undefined if it cannot exist. Accepts more
 * than `parseAlias`, so that existing links keep working when the rules become stricter.
 */
export function normalizeAlias(value: string): string | undefined {
  if (value.length > MAX_DECOMPOSED) return undefined
  const alias = value.normalize('NFC')
  return ALIAS.test(alias) && areSegmentsValid(alias) ? alias : undefined
}

function areSegmentsValid(alias: string): boolean {
  if (!alias.includes('/')) return true
  const segments = alias.split('/')
  return (
    segments.length <= MAX_SEGMENTS &&
    segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..')
  )
}

function formatCodePoint(character: string): string {
  const hex = Number(character.codePointAt(0)).toString(16).toUpperCase()
  return `U+${hex.padStart(4, '0')}`
}

/**
 * Returns an alias without the characters that are often appended to links by mistake, or undefined
 * if there cannot be such an alias.
 */
export function trimAlias(text: string): string | undefined {
  if (text.length > MAX_LENGTH || DOT_SEGMENT.test(text)) return undefined
  const characters = [...text]
  while (APPENDED.test(characters.at(-1) ?? '')) characters.pop()
  return normalizeAlias(characters.join(''))
}

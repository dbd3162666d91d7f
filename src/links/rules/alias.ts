import { customAlphabet } from 'nanoid'
import { invalid } from '../../errors.ts'

/** Without 0 O o 1 l I i: a short link is also read aloud and typed from paper. */
const randomSeven = customAlphabet('23456789abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ', 7)

const GRAMMAR = /^[\p{L}\p{N}_-][\p{L}\p{M}\p{N}_-]{0,63}$/u
/** In UTF-16: no character decomposes into more than six (U+16126 does). */
const MAX_DECOMPOSED = 64 * 6

/**
 * What cannot be seen: format characters such as joiners and bidi controls, and everything that Unicode
 * lets a font leave out, Hangul fillers and variation selectors included. The Khitan filler U+16FE4 and the
 * Egyptian blanks U+13441 and U+13442 are letters and marks without a shape.
 */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u{16fe4}\u{13441}\u{13442}]/u

/**
 * Combining marks that spell nothing or hide in another character, in NFD: NFC puts the first mark into the
 * letter, as in `à` with a second grave accent.
 * https://www.unicode.org/reports/tr39/#Optional_Detection
 */
const STRAY_MARKS = [
  // Without a letter before it.
  /(?<![\p{L}\p{M}])\p{M}/u,
  // Around or across the letter.
  /\p{Me}|[\u0334-\u0338]|[\u20d0-\u20ff]/u,
  // The same twice, except U+1611E, two of which are another vowel; or more than four in a row.
  /(?<=([^\P{Mn}\u{1611e}]))\1|(?<=\p{Mn}{4})\p{Mn}/u,
  // A dot above a letter that has one.
  /(?<=\p{Soft_Dotted}\p{M}*)\u0307/u,
]

/** First path segments that the service itself answers, or may one day. */
const RESERVED = new Set(
  `api avatar b console docs favicon health internal metrics openapi qr r register u robots admin assets login logout
  static well-known`.split(/\s+/),
)

/** Seven characters from a cryptographic generator: 55^7, about 1.5 million million aliases. */
export const randomAlias = (): string => randomSeven()

/**
 * Returns a new alias in its stored form (NFC): 1 to 64 letters, digits, `-` and `_` of any script, case
 * kept, and no word that the service uses as a path itself.
 *
 * @throws AppError `invalid_input` naming `field`
 */
export function parseAlias(field: string, value: string): string {
  const alias = normalizeAlias(value)
  const [invisible] = INVISIBLE.exec(value.slice(0, MAX_DECOMPOSED)) ?? []
  if (invisible) {
    throw invalid(field, `must not contain the invisible character ${codePoint(invisible)}`)
  }
  if (alias === undefined) {
    throw invalid(field, 'must be 1 to 64 letters, digits, hyphens or underscores')
  }
  const decomposed = alias.normalize('NFD')
  const [mark] = STRAY_MARKS.flatMap((pattern) => pattern.exec(decomposed)?.[0] ?? [])
  if (mark) {
    throw invalid(field, `must not contain the combining mark ${codePoint(mark)} in this position`)
  }
  if (isReserved(alias)) throw invalid(field, 'is a reserved word')
  return alias
}

/** Whether it is a word that the service uses as a path itself, or may one day. */
export function isReserved(alias: string): boolean {
  return RESERVED.has(alias.toLowerCase())
}

/**
 * Returns the stored form of what may be an existing alias, or undefined for what cannot be one. More
 * general than `parseAlias`, so that existing links keep resolving when the rules get stricter.
 */
export function normalizeAlias(value: string): string | undefined {
  if (value.length > MAX_DECOMPOSED) return undefined
  const alias = value.normalize('NFC')
  return GRAMMAR.test(alias) ? alias : undefined
}

function codePoint(character: string): string {
  const hex = Number(character.codePointAt(0)).toString(16).toUpperCase()
  return `U+${hex.padStart(4, '0')}`
}

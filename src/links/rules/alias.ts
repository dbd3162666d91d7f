import { customAlphabet } from 'nanoid'
import { invalid } from '../../errors.ts'

/** Without 0 O o 1 l I i: a short link is also read aloud and typed from paper. */
const randomSeven = customAlphabet('23456789abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ', 7)

const GRAMMAR = /^[\p{L}\p{N}_-][\p{L}\p{M}\p{N}_-]{0,63}$/u
/** In UTF-16: no character decomposes into more than six (U+16126 does). */
const MAX_DECOMPOSED = 64 * 6

/** First path segments that the service itself answers, or may one day. */
const RESERVED = new Set(
  `api avatar b console docs favicon health internal metrics openapi qr r register u robots admin assets login logout
  static well-known`.split(/\s+/),
)

/** Seven characters from a cryptographic generator: 55^7, about 1.5 million million aliases. */
export const randomAlias = (): string => randomSeven()

/**
 * An alias in its stored form (NFC): 1 to 64 letters, digits, `-` and `_` of any script, case kept,
 * and no word that the service uses as a path itself.
 *
 * @throws AppError `invalid_input` naming `field`
 */
export function parseAlias(field: string, value: string): string {
  const alias = normalizeAlias(value)
  if (alias === undefined) {
    throw invalid(field, 'must be 1 to 64 letters, digits, hyphens or underscores')
  }
  if (isReserved(alias)) throw invalid(field, 'is a reserved word')
  return alias
}

/** Whether it is a word that the service uses as a path itself, or may one day. */
export function isReserved(alias: string): boolean {
  return RESERVED.has(alias.toLowerCase())
}

/** The stored form of what may be an alias, or undefined for what cannot be one. */
export function normalizeAlias(value: string): string | undefined {
  if (value.length > MAX_DECOMPOSED) return undefined
  const alias = value.normalize('NFC')
  return GRAMMAR.test(alias) ? alias : undefined
}

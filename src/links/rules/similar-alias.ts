import { foldCase, lowercaseAscii } from '../../text.ts'
import { normalizeAlias } from './alias.ts'

/** What texts around a link add to its end: punctuation, blanks and invisible characters. */
const APPENDED = /[/.,)\]>'"\s\p{Cf}\p{Default_Ignorable_Code_Point}]|[^\0-\x7f\P{P}]/u
const DOT_SEGMENT = /(?:^|\/)\.{1,2}(?:\/|$)/
/** Aliases are shorter, even decomposed and with some characters appended. */
const MAX_LENGTH = 512

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

/**
 * Returns the texts by which to find the aliases that equal this one except for case. Indexes are in
 * ASCII lowercase, which is the same in every database. Other letters are therefore searched as
 * entered, all in lowercase, all in uppercase, and with words capitalized.
 */
export function listCaseKeys(alias: string): string[] {
  const key = lowercaseAscii(alias)
  if (/^[\0-\x7f]*$/.test(key)) return [key]
  const lower = alias.toLowerCase()
  const capitalized = lower.replaceAll(/(?<!\p{L}\p{M}*)\p{L}/gu, (letter) => letter.toUpperCase())
  const variants = [key, lower, alias.toUpperCase(), capitalized]
  return [...new Set(variants.map((variant) => lowercaseAscii(variant.normalize('NFC'))))]
}

/** Returns the only one of several aliases that equals `alias` except for case, or undefined. */
export function chooseSimilar(alias: string, candidates: readonly string[]): string | undefined {
  const key = foldCase(alias)
  const similar = candidates.filter((candidate) => foldCase(candidate) === key)
  return similar.length === 1 ? similar[0] : undefined
}

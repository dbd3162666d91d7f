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

import { type RawBuilder, sql } from 'kysely'
import { foldCase, lowercaseAscii } from '../text.ts'

/**
 * Returns a column with its ASCII letters in lowercase. Names the collation, because the locale of a
 * database decides the lowercase form of other letters and, in Turkish, of `I`. Indexes that ignore
 * case have the same expression.
 */
export function lowercase(column: string): RawBuilder<string> {
  return sql<string>`lower(${sql.ref(column)} collate "C")`
}

/**
 * Returns the condition that a column equals a text, ignoring case. The column has no uppercase
 * letters outside of ASCII: `checkEmail` and `checkUsername` ensure it.
 */
export function equalsIgnoringCase(column: string, text: string): RawBuilder<boolean> {
  return sql<boolean>`${lowercase(column)} = ${foldCase(text)}`
}

/**
 * Returns the texts to compare with `lowercase`: with all letters in lowercase, and with only ASCII
 * letters in lowercase, for columns that keep the case of other letters.
 */
export function toLowercaseForms(text: string): string[] {
  return [...new Set([foldCase(text), lowercaseAscii(text)])]
}

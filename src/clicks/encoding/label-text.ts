import { createHash } from 'node:crypto'

/**
 * The maximum length in UTF-16 code units, which is that of a host name (RFC 1035, section 2.3.4).
 */
const MAX_LABEL_LENGTH = 253
/** The number of hexadecimal digits that distinguish truncated URLs. */
const DIGEST_LENGTH = 8

/** Matches trimmed printable ASCII text within the maximum length, which is stored as it is. */
const UNCHANGED_LABEL = /^[!-~](?:[ -~]{0,251}[!-~])?$/

/**
 * Returns a text in the form in which labels are stored: trimmed, truncated, and without characters
 * that PostgreSQL rejects. Returns `Unknown` if no text remains.
 */
export function toLabelText(text: string): string {
  if (UNCHANGED_LABEL.test(text)) return text
  const truncated = text.replaceAll('\0', '').trim().slice(0, MAX_LABEL_LENGTH)
  return truncated.toWellFormed().trim() || 'Unknown'
}

/**
 * Returns the label of a destination. A long URL is truncated but remains distinguishable from
 * others.
 */
export function toVariantLabel(to: string): string {
  if (to.length <= MAX_LABEL_LENGTH) return to
  const digest = createHash('sha256').update(to).digest('hex').slice(0, DIGEST_LENGTH)
  return `${to.slice(0, MAX_LABEL_LENGTH - DIGEST_LENGTH - 1)}~${digest}`
}

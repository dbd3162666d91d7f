import { isUtf8 } from 'node:buffer'

/**
 * Decodes base64 to text. Returns undefined unless the value is the base64 of valid UTF-8.
 *
 * Accepts both alphabets of RFC 4648, standard and URL-safe, but not mixed. Padding must be
 * complete or absent. Rejects whitespace and non-zero unused bits, so that each text has exactly
 * one encoding per alphabet and padding.
 */
export function decodeBase64Text(value: string): string | undefined {
  const [, digits, padding] = /^([A-Za-z0-9+/]+|[A-Za-z0-9_-]+)(={0,2})$/.exec(value) ?? []
  if (!digits || (padding && (digits.length + padding.length) % 4 !== 0)) return undefined
  const bytes = Buffer.from(digits, 'base64')
  const canonical = bytes.toString('base64url')
  if (canonical !== digits.replaceAll('+', '-').replaceAll('/', '_')) return undefined
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined
}

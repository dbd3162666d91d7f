import { isUtf8 } from 'node:buffer'

/**
 * Decodes base64 to text; `undefined` when the value is anything but the base64 of valid UTF-8.
 *
 * Both alphabets of RFC 4648 are taken, the standard one and the URL-safe one, but not mixed in
 * one value; padding may be there in full or be missing in full. Spaces, line breaks and unused
 * bits that are not zero are refused, so a text has exactly one spelling per alphabet and padding.
 */
export function decodeBase64Text(value: string): string | undefined {
  const [, digits, padding] = /^([A-Za-z0-9+/]+|[A-Za-z0-9_-]+)(={0,2})$/.exec(value) ?? []
  if (!digits || (padding && (digits.length + padding.length) % 4 !== 0)) return undefined
  const bytes = Buffer.from(digits, 'base64')
  const canonical = bytes.toString('base64url')
  if (canonical !== digits.replaceAll('+', '-').replaceAll('/', '_')) return undefined
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined
}

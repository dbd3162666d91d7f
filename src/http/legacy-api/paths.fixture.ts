import fc from 'fast-check'
import { anyCharacter } from '../../../test/support/any-character.ts'

export const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64')
export const exampleUrl = 'https://example.com/a?b=c'
export const encodedExampleUrl = base64(exampleUrl)
/** The six ways in which clients encode a value in a path. */
export const encodings: Record<string, (text: string) => string> = {
  'standard, padded': (text) => base64(text),
  'standard, unpadded': (text) => removePadding(base64(text)),
  'percent-encoded, padded': (text) => encodeURIComponent(base64(text)),
  'percent-encoded in lower case, unpadded': (text) =>
    encodeURIComponent(removePadding(base64(text))).replace(/%../g, (encodedByte) =>
      encodedByte.toLowerCase(),
    ),
  'URL-safe, padded': (text) => base64(text).replaceAll('+', '-').replaceAll('/', '_'),
  'URL-safe, unpadded': (text) => Buffer.from(text, 'utf8').toString('base64url'),
}

export function removePadding(value: string): string {
  return value.replace(/=+$/, '')
}

/** After a complete base64 group, this encodes to `/url/`. */
export const urlSegment = '%\u{7FEB9}\u007F'
/** In base64, this contains many slashes. */
export const manySlashes = '???>>>~~~???'

const wellFormedText = fc.string({ unit: anyCharacter, maxLength: 40 }).filter((text) => {
  return text.isWellFormed()
})
export const anyUrl = fc
  .tuple(
    fc.mixedCase(fc.constantFrom('http://', 'https://')),
    fc.constantFrom('a.example', 'münchen.example', '127.0.0.1:8080'),
    fc.array(
      fc.oneof(
        wellFormedText,
        fc.constantFrom('/url/', '/password/', '.json', '.xml', '?', '~', manySlashes, urlSegment),
        fc.constantFrom('a', 'ab').map((pad) => pad + urlSegment),
      ),
      { maxLength: 6 },
    ),
  )
  .map(([scheme, host, path]) => `${scheme}${host}/${path.join('')}`)
const plainValue = fc.oneof(
  wellFormedText.filter((text) => text !== ''),
  fc.constantFrom(
    'url',
    'password',
    'custom_url',
    'short_url',
    'a/url/b',
    '.json',
    'p.xml',
    'x.json/y',
  ),
  fc.constantFrom('%', '%2F', 'a+b', 'a b', '?x#y', encodedExampleUrl, removePadding(base64('a'))),
)
export const optionNames = ['custom_url', 'password', 'expiry_date', 'base_domain']
export const anyOptions = fc
  .tuple(fc.shuffledSubarray(optionNames), fc.array(plainValue, { minLength: 4, maxLength: 4 }))
  .map(([names, values]) => names.map((name, index) => [name, values[index] ?? ''] as const))
export const anyFormat = fc.constantFrom('json' as const, 'xml' as const)
export const anyEncoding = fc.constantFrom(...Object.values(encodings))

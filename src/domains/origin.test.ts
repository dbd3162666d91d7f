import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyCharacter } from '../../test/support/any-character.ts'
import { webUrl } from '../../test/support/web-url.ts'
import { AppError } from '../errors.ts'
import { normalizeHost } from '../urls/host.ts'
import { parseOrigin } from './domain-proof.ts'

describe('parseOrigin', () => {
  test.each([
    ['https://go.example.com', 'go.example.com', 'https://go.example.com'],
    ['HTTP://GO.Example.COM./', 'go.example.com', 'http://go.example.com'],
    ['http://go.example:8080', 'go.example:8080', 'http://go.example:8080'],
    ['http://go.example:80', 'go.example', 'http://go.example'],
    ['https://münchen.example', 'xn--mnchen-3ya.example', 'https://xn--mnchen-3ya.example'],
    ['http://0x7f.1', '127.0.0.1', 'http://127.0.0.1'],
    ['http://[::1]', '[::1]', 'http://[::1]'],
  ])('parses %s', (value, host, origin) => {
    expect(parseOrigin(value)).toEqual({ host, origin })
  })

  test('returns an origin that parses to itself, and its host as in requests', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('http', 'https'),
        fc.domain(),
        anyPort(),
        (scheme, name, port) => {
          const parsed = parseOrigin(`${scheme}://${name}${port}`)
          expect(parseOrigin(parsed.origin)).toEqual(parsed)
          const { host, origin } = new URL(parsed.origin)
          expect(origin).toBe(parsed.origin)
          expect(normalizeHost(host)).toBe(parsed.host)
        },
      ),
    )
  })

  test('rejects everything else and names the field', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: anyCharacter }), webUrl()), (value) => {
        try {
          const { origin } = parseOrigin(value)
          expect(new URL(value).pathname).toBe('/')
          expect(new URL(origin).origin).toBe(origin)
        } catch (error) {
          expect(error).toBeInstanceOf(AppError)
          expect(String(error)).toMatch(/: domain must /)
        }
      }),
    )
  })
})

/** Generates a port with its colon, or nothing. */
function anyPort() {
  return fc.oneof(
    fc.constant(''),
    fc.integer({ min: 1, max: 65_535 }).map((number) => `:${number}`),
  )
}

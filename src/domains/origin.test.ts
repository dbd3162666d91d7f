import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyCharacter } from '../../test/support/any-character.ts'
import { webUrl } from '../../test/support/web-url.ts'
import { AppError } from '../errors.ts'
import { normalizeHost } from './hosts.ts'
import { parseOrigin } from './origin.ts'

describe('parseOrigin', () => {
  test.each([
    ['https://go.example.com', 'go.example.com', 'https://go.example.com'],
    ['HTTP://GO.Example.COM./', 'go.example.com', 'http://go.example.com'],
    ['http://go.example:8080', 'go.example:8080', 'http://go.example:8080'],
    ['http://go.example:80', 'go.example', 'http://go.example'],
    ['https://münchen.example', 'xn--mnchen-3ya.example', 'https://xn--mnchen-3ya.example'],
    ['http://0x7f.1', '127.0.0.1', 'http://127.0.0.1'],
    ['http://[::1]', '[::1]', 'http://[::1]'],
  ])('reads %s', (value, host, origin) => {
    expect(parseOrigin(value)).toEqual({ host, origin })
  })

  test('returns an origin that parses to itself, with the host of requests', () => {
    fc.assert(
      fc.property(fc.constantFrom('http', 'https'), fc.domain(), port(), (scheme, name, port) => {
        const read = parseOrigin(`${scheme}://${name}${port}`)
        expect(parseOrigin(read.origin)).toEqual(read)
        const { host, origin } = new URL(read.origin)
        expect(origin).toBe(read.origin)
        expect(normalizeHost(host)).toBe(read.host)
      }),
    )
  })

  test('rejects everything else and names the domain', () => {
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

function port() {
  return fc.oneof(
    fc.constant(''),
    fc.integer({ min: 1, max: 65_535 }).map((number) => `:${number}`),
  )
}

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createHostMatcher, parseBlockedHost, toCanonicalHost } from './blocked-host.ts'

describe('parseBlockedHost', () => {
  test.for([
    ['evil.example', 'evil.example', false],
    [' EVIL.Example. ', 'evil.example', false],
    ['evil.example:8443', 'evil.example', false],
    ['https://user@evil.example:8443/path?q#f', 'evil.example', false],
    ['*.evil.example', 'evil.example', true],
    ['.evil.example', 'evil.example', true],
    ['bücher.example', 'xn--bcher-kva.example', false],
    ['ｅｖｉｌ。example', 'evil.example', false],
    ['zip', 'zip', false],
    ['0x7f.1', '127.0.0.1', false],
    ['2130706433', '127.0.0.1', false],
    ['[::ffff:1.2.3.4]', '1.2.3.4', false],
    ['[64:ff9b::1.2.3.4]', '1.2.3.4', false],
    ['[2002:102:304::1]', '1.2.3.4', false],
    ['[2001:DB8::0:1]', '[2001:db8::1]', false],
    ['[::1]', '[::1]', false],
    ['[::]', '[::]', false],
  ] as const)('reads %j', ([input, host, subdomains]) => {
    expect(parseBlockedHost(input)).toEqual({ host, subdomains })
  })

  test.for([
    '',
    '*.',
    'a b',
    'a/b',
    'user@evil.example',
    'evil.example?x',
    'javascript:alert(1)',
    'ftp://evil.example',
    'a'.repeat(300),
    '256.256.256.256',
    '[::1',
    '\0',
  ])('rejects %j', (input) => {
    expect(() => parseBlockedHost(input)).toThrow(/host must be a host name or an IP address/)
  })

  test('rejects subdomains of an IP address', () => {
    expect(() => parseBlockedHost('1.2.3.4', true)).toThrow('has no subdomains')
    expect(() => parseBlockedHost('*.[::1]')).toThrow('has no subdomains')
  })
})

describe('createHostMatcher', () => {
  const matcher = createHostMatcher(
    ['evil.example', '*.bad.example', '*.zip', 'bücher.example', '10.0.0.1', '[2001:db8::1]'].map(
      (input) => parseBlockedHost(input),
    ),
  )

  test.for([
    'https://evil.example/',
    'http://EVIL.example.:8080/path',
    'http://e%76il.example/',
    'http://evil。example/',
    'https://bad.example/',
    'https://a.b.bad.example./x',
    'https://phish.zip/',
    'https://XN--BCHER-KVA.example/',
    'http://012.1/',
    'http://0xa000001/',
    'http://[::ffff:10.0.0.1]/',
    'http://[::ffff:0:10.0.0.1]/',
    'http://[::10.0.0.1]/',
    'http://[64:ff9b::10.0.0.1]/',
    'http://[64:ff9b::a00:1]:8080/path',
    'http://[64:ff9b:1::10.0.0.1]/',
    'http://[64:ff9b:1:ffff:0:1:a00:1]/',
    'http://[2002:a00:1::]/',
    'http://[2002:a00:1:1:2:3:4:5]/',
    'http://[2001:0:102:304:0:1234:f5ff:fffe]/',
    'http://[2001:0:a00:1:0:1234:fefd:fcfb]/',
    'http://[2001:db8:0::1]:80/',
  ])('blocks %s', (url) => {
    expect(matcher.blocksDestination(url)).toBe(true)
  })

  test.for([
    'https://www.evil.example/',
    'https://notevil.example/',
    'https://notbad.example/',
    'https://evil.example.com/',
    'https://bad.example.com/?https://evil.example/',
    'https://example/bad.example',
    'http://10.0.0.2/',
    'http://[64:ff9b::10.0.0.2]/',
    'http://[2002:a00:2::a00:1]/',
    'http://[2001:db8::10.0.0.1]/',
    'mailto:a@evil.example',
    'no url',
  ])('does not block %s', (url) => {
    expect(matcher.blocksDestination(url)).toBe(false)
  })

  test('blocks nothing if the list is empty', () => {
    const emptyMatcher = createHostMatcher([])
    expect([emptyMatcher.isEmpty, emptyMatcher.blocksDestination('https://evil.example/')]).toEqual(
      [true, false],
    )
  })

  test('blocks a host in every spelling of its URL', () => {
    fc.assert(
      fc.property(fc.domain(), fc.nat(65_535), fc.boolean(), (name, port, hasFinalDot) => {
        const hostOnly = createHostMatcher([parseBlockedHost(name)])
        const withSubdomains = createHostMatcher([parseBlockedHost(`*.${name}`)])
        const hostAndPort = `${name.toUpperCase()}${hasFinalDot ? '.' : ''}:${port}/`
        expect(hostOnly.blocksDestination(`https://${hostAndPort}`)).toBe(true)
        expect(hostOnly.blocksDestination(`https://a.${hostAndPort}`)).toBe(false)
        expect(withSubdomains.blocksDestination(`https://a.${hostAndPort}`)).toBe(true)
        expect(toCanonicalHost(new URL(`https://${hostAndPort}`))).toBe(name.toLowerCase())
      }),
    )
  })
})

import { isIPv4 } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normalizeAddress, parseIPv4, toAddressBlock } from './address.ts'

describe('normalizeAddress', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:201', '192.0.2.1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:db8:0000:0001::', '2001:db8:0:1::'],
    ['::1', '::1'],
    ['::', '::'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::%', '::'],
  ])('normalizes %s to %s', (ip, expected) => {
    expect(normalizeAddress(ip)).toBe(expected)
  })

  test.each([
    '',
    ' ',
    'localhost',
    '1',
    '0x7f.1',
    '010.0.0.1',
    '256.1.1.1',
    '1.2.3.4:80',
    '[::1]',
    '::1::2',
    ':',
    '2001:db8::/32',
    '%',
    'a:'.repeat(5_000),
  ])('returns an empty string for invalid input %#', (ip) => {
    expect(normalizeAddress(ip)).toBe('')
  })

  test('never throws and is idempotent', () => {
    const anyAddress = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string())
    fc.assert(
      fc.property(anyAddress, (ip) => {
        const once = normalizeAddress(ip)
        expect(normalizeAddress(once)).toBe(once)
      }),
    )
  })

  test('accepts every address', () => {
    fc.assert(
      fc.property(fc.ipV4(), (ip) => {
        expect(normalizeAddress(ip)).toBe(ip)
      }),
    )
    fc.assert(
      fc.property(fc.ipV6(), (ip) => {
        expect(normalizeAddress(ip)).not.toBe('')
      }),
    )
  })
})

describe('toAddressBlock', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff::', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['::1', '::/64'],
    ['nonsense', ''],
  ])('assigns %s to %s', (ip, block) => {
    expect(toAddressBlock(ip)).toBe(block)
  })
})

describe('parseIPv4', () => {
  test.each([
    ['0.0.0.0', 0],
    ['192.0.2.1', 0xc000_0201],
    ['255.255.255.255', 2 ** 32 - 1],
  ])('parses %s', (ip, expected) => {
    expect(parseIPv4(ip)).toBe(expected)
  })

  test('agrees with Node.js on IPv4 addresses', () => {
    const dottedParts = fc.array(fc.constantFrom('0', '1', '25', '255', '256', '01', '', 'a', '.'))
    fc.assert(
      fc.property(
        fc.oneof(
          fc.ipV4(),
          fc.string(),
          dottedParts.map((parts) => parts.join('.')),
        ),
        (ip) => {
          expect(parseIPv4(ip) >= 0).toBe(isIPv4(ip))
        },
      ),
    )
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createAddressHash, createVisitorHash } from './visitor-hash.ts'

const key = Buffer.alloc(32, 1)
const otherKey = Buffer.alloc(32, 2)

describe('the visitor hash', () => {
  const visitorHash = createVisitorHash(key)

  test('is the same in every run', () => {
    expect(visitorHash('192.0.2.1', 'Firefox')).toBe(createVisitorHash(key)('192.0.2.1', 'Firefox'))
    expect(visitorHash('192.0.2.1', 'Firefox')).toBe(-486696962004149811n)
  })

  test('is the same for every form of an IP address', () => {
    expect(visitorHash('::ffff:192.0.2.1', 'a')).toBe(visitorHash('192.0.2.1', 'a'))
    expect(visitorHash('2001:DB8:0::1', 'a')).toBe(visitorHash('2001:db8::1', 'a'))
  })

  test('is shared by an IPv6 /64, as in limits', () => {
    const addresses = ['2001:db8:1:2::1', '2001:db8:1:2:a:b:c:d', '2001:DB8:1:2:ffff::%eth0']
    expect(new Set(addresses.map((address) => visitorHash(address, 'a'))).size).toBe(1)
    expect(visitorHash('2001:db8:1:3::1', 'a')).not.toBe(visitorHash('2001:db8:1:2::1', 'a'))
  })

  test('depends on the IP address, the User-Agent and the key', () => {
    const hashes = [
      visitorHash('192.0.2.1', 'a'),
      visitorHash('192.0.2.2', 'a'),
      visitorHash('192.0.2.1', 'b'),
      visitorHash('192.0.2.1', ''),
      visitorHash('', 'a'),
      createVisitorHash(otherKey)('192.0.2.1', 'a'),
    ]
    expect(new Set(hashes).size).toBe(hashes.length)
  })

  test('depends on the first 512 characters of the User-Agent', () => {
    const long = 'x'.repeat(600)
    expect(visitorHash('192.0.2.1', long)).toBe(visitorHash('192.0.2.1', long.slice(0, 512)))
  })

  test('fits in a signed 64-bit number and is deterministic', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()), fc.string(), (address, ua) => {
        const hash = visitorHash(address, ua)
        expect(BigInt.asIntN(64, hash)).toBe(hash)
        expect(visitorHash(address, ua)).toBe(hash)
      }),
    )
  })

  test('can be positive or negative', () => {
    const hashes = Array.from({ length: 64 }, (_, index) => visitorHash('192.0.2.1', `${index}`))
    expect(hashes.some((hash) => hash < 0n)).toBe(true)
    expect(hashes.some((hash) => hash > 0n)).toBe(true)
  })
})

describe('the address hash', () => {
  const hashAddress = createAddressHash(key)

  test('is short text', () => {
    expect(hashAddress('192.0.2.1')).toMatch(/^[\w-]{16}$/)
  })

  test('is shared by an IPv6 /64 and unique per IPv4 address', () => {
    expect(hashAddress('2001:db8::1')).toBe(hashAddress('2001:db8::ffff:1'))
    expect(hashAddress('2001:db8::1')).not.toBe(hashAddress('2001:db8:0:1::1'))
    expect(hashAddress('192.0.2.1')).not.toBe(hashAddress('192.0.2.2'))
    expect(hashAddress('192.0.2.1')).not.toBe(createAddressHash(otherKey)('192.0.2.1'))
  })
})

test('an empty key is rejected', () => {
  expect(() => createVisitorHash(Buffer.alloc(0))).toThrow('empty')
  expect(() => createAddressHash(Buffer.alloc(0))).toThrow('empty')
})

import { describe, expect, test } from 'vitest'
import { createRangeMatcher } from './address-ranges.ts'

describe('trusted proxies', () => {
  const isTrusted = createRangeMatcher(['10.0.0.0/8', '192.0.2.7/32', '2001:db8::/32'])

  test.each(['10.0.0.1', '10.255.1.2', '192.0.2.7', '2001:db8::1', '::ffff:10.1.2.3'])(
    'include %s, even when the result is cached',
    (address) => {
      expect([isTrusted(address), isTrusted(address)]).toEqual([true, true])
    },
  )

  test.each([
    '11.0.0.1',
    '192.0.2.8',
    '2001:db9::1',
    '::ffff:11.0.0.1',
    '',
    'unknown',
    '10.0.0.1:80',
  ])('do not include %s, even when the result is cached', (address) => {
    expect([isTrusted(address), isTrusted(address)]).toEqual([false, false])
  })

  test('include IPv4 addresses if a range consists of IPv4-mapped addresses', () => {
    const isInMappedRange = createRangeMatcher(['::ffff:10.0.0.0/104'])
    expect(['10.1.2.3', '::ffff:10.1.2.3', '11.0.0.1'].map(isInMappedRange)).toEqual([
      true,
      true,
      false,
    ])
  })
})

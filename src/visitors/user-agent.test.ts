import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  browsers,
  crawlers,
  linkPreviewBots,
  tools,
  unknownClients,
} from '../../test/fixtures/user-agents.ts'
import { anyCharacter } from '../../test/support/any-character.ts'
import {
  matchesDevice,
  parseDeviceTarget,
  parseUserAgent,
  truncateUserAgent,
} from './user-agent.ts'

const unknown = { browser: 'Unknown', os: 'Unknown', device: 'unknown', platform: 'unknown' }
const targets = [
  'iphone',
  'ipad',
  'android',
  'windows',
  'macos',
  'linux',
  'chromeos',
  'mobile',
  'tablet',
  'desktop',
] as const

describe('parseUserAgent', () => {
  test.each(browsers)('recognizes $browser on $os: $ua', ({ ua, ...expected }) => {
    expect(parseUserAgent(ua)).toEqual(expected)
    // The result is cached now.
    expect(parseUserAgent(ua)).toEqual(expected)
  })

  test.each(tools)('recognizes the tool $browser without a device: $ua', ({ ua, browser }) => {
    expect(parseUserAgent(ua)).toMatchObject({ browser, device: 'unknown', platform: 'unknown' })
  })

  test.each(['', ' ', '-', 'test', 'test-agent/1.0', 'Mozilla/5.0', '__proto__', 'constructor'])(
    'returns unknown for %j',
    (ua) => {
      expect(parseUserAgent(ua)).toEqual(unknown)
    },
  )

  test('recognizes the system of an app but no browser', () => {
    expect(parseUserAgent('MyApp/2.3 (iPhone; iOS 17.5; Scale/3.00)')).toEqual({
      browser: 'Unknown',
      os: 'iOS',
      device: 'mobile',
      platform: 'iphone',
    })
  })

  test('recognizes a phone with an in-app browser of Yahoo', () => {
    const ua =
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Mobile/15E148 YahooMobile/1.0'
    expect(parseUserAgent(ua)).toMatchObject({ device: 'mobile', platform: 'iphone' })
  })

  test('returns short printable labels for any input', () => {
    const words = fc.constantFrom(
      ...['Mozilla/5.0 ', '(', ')', ';', '/', ' ', 'Windows NT 10.0', 'Android ', '999999999999'],
      ...['iPhone OS ', 'Mac OS X ', 'Macintosh', 'Chrome/', 'Safari/', '\u0000', '\u0085', 'é'],
    )
    const ua = fc.oneof(
      fc.array(words, { maxLength: 40 }).map((parts) => parts.join('')),
      fc.string({ unit: anyCharacter, maxLength: 600 }),
      fc.constantFrom(...crawlers, ...linkPreviewBots, ...unknownClients),
    )
    fc.assert(
      fc.property(ua, (value) => {
        const { browser, os } = parseUserAgent(value)
        for (const label of [browser, os]) expect(label).toMatch(/^[\x20-\x7e]{1,64}$/)
      }),
    )
  })

  test('returns unknown for invented names', () => {
    const parsed = Array.from({ length: 50 }, (_, index) =>
      parseUserAgent(`Invented${index}/1.0 (x) y`),
    )
    expect(new Set(parsed.map(({ browser }) => browser))).toEqual(new Set(['Unknown']))
  })
})

describe('truncateUserAgent', () => {
  test('keeps the first 512 characters', () => {
    expect(truncateUserAgent('x'.repeat(512))).toHaveLength(512)
    expect(truncateUserAgent('é'.repeat(20_000))).toBe('é'.repeat(512))
    expect(truncateUserAgent('short')).toBe('short')
  })
})

describe('parseDeviceTarget', () => {
  test.each(targets)('accepts %s', (name) => {
    expect(parseDeviceTarget(name)).toBe(name)
    expect(parseDeviceTarget(` ${name.toUpperCase()} `)).toBe(name)
  })

  test.each([
    ['mac', 'macos'],
    ['Mac OS', 'macos'],
    ['Chrome OS', 'chromeos'],
    ['chrome  os', 'chromeos'],
  ])('converts %s to %s', (name, target) => {
    expect(parseDeviceTarget(name)).toBe(target)
  })

  test.each(['', 'unknown', 'toaster', 'phone', '__proto__', 'constructor'])(
    'rejects %j',
    (name) => {
      expect(parseDeviceTarget(name)).toBeUndefined()
    },
  )
})

describe('matchesDevice', () => {
  const listMatchingTargets = (ua: string) =>
    targets.filter((target) => matchesDevice(target, parseUserAgent(ua)))

  test.each(browsers)(
    'matches only the device type and the platform of $ua',
    ({ ua, device, platform }) => {
      expect(new Set(listMatchingTargets(ua))).toEqual(
        new Set([device, platform].filter((name) => name !== 'unknown')),
      )
    },
  )

  test.each([...unknownClients, ...tools.map(({ ua }) => ua)].filter((ua) => !/iOS/.test(ua)))(
    'matches nothing for %j',
    (ua) => {
      expect(listMatchingTargets(ua)).toEqual([])
    },
  )
})

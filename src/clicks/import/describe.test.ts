import { describe, expect, test } from 'vitest'
import { namesFullBrowser } from '../../visitors/automated.ts'
import { createClientClassifier } from '../../visitors/crawler.ts'
import { findPreferredLanguage } from '../../visitors/language.ts'
import { findSocialNetwork, parseReferrerHost, toReferrerLabel } from '../../visitors/referrer.ts'
import { parseUserAgent } from '../../visitors/user-agent.ts'
import { createVisitorHash } from '../../visitors/visitor-hash.ts'
import { createDescribeClick } from './describe.ts'

const describeClick = createDescribeClick({
  visitorHash: createVisitorHash(Buffer.alloc(32, 1)),
  countryLabel: (address) => (address === '192.0.2.1' ? 'Norway' : 'Unknown'),
  parseUserAgent,
  namesFullBrowser,
  ...createClientClassifier(),
  referrerHost: parseReferrerHost,
  referrerLabel: toReferrerLabel,
  socialNetwork: findSocialNetwork,
  preferredLanguage: findPreferredLanguage,
})
const click = {
  address: '192.0.2.1',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
  referrer: 'https://www.facebook.com/groups/1',
  languages: 'nb-NO,nb;q=0.9,en;q=0.5',
}

describe('the description of a click', () => {
  test("has labels for the click's origin", () => {
    expect(describeClick(click)).toMatchObject({
      country: 'Norway',
      referrer: 'facebook.com',
      browser: 'Firefox',
      os: 'Linux',
      device: 'desktop',
      language: 'nb',
      social: 'facebook',
      crawler: false,
    })
  })

  test('has labels for missing headers', () => {
    expect(
      describeClick({ address: '', userAgent: '', referrer: '', languages: '' }),
    ).toMatchObject({
      country: 'Unknown',
      referrer: 'Direct, email and other',
      browser: 'Unknown',
      os: 'Unknown',
      device: 'unknown',
      social: undefined,
      variant: undefined,
      crawler: false,
    })
  })

  test('distinguishes visitors by IP address and User-Agent, not by referrer', () => {
    const { visitor } = describeClick(click)
    expect(describeClick({ ...click, referrer: '' }).visitor).toBe(visitor)
    expect(describeClick({ ...click, address: '192.0.2.2' }).visitor).not.toBe(visitor)
    expect(describeClick({ ...click, userAgent: 'Other' }).visitor).not.toBe(visitor)
  })

  test('says which visits do not count, and why', () => {
    const describeUncounted = (more: Partial<Parameters<typeof describeClick>[0]>) => {
      const { crawler, uncounted } = describeClick({ ...click, ...more })
      return crawler && uncounted
    }
    const googlebot = { kind: 'crawler', name: 'Googlebot' }
    expect(describeUncounted({})).toBe(false)
    expect(describeUncounted({ userAgent: 'Googlebot/2.1' })).toEqual(googlebot)
    expect(describeUncounted({ userAgent: 'Googlebot/2.1', uncounted: 'head' })).toEqual(googlebot)
    expect(describeUncounted({ uncounted: 'head' })).toEqual({ kind: 'head', name: 'Firefox' })
    expect(describeUncounted({ uncounted: 'prefetch' })).toEqual({
      kind: 'prefetch',
      name: 'Firefox',
    })
    // A robot that the importer does not know.
    expect(describeUncounted({ uncounted: 'robot', variant: 'Own name' })).toEqual({
      kind: 'crawler',
      name: 'Own name',
    })
    expect(describeClick({ ...click, uncounted: 'robot', variant: 'v' }).variant).toBeUndefined()
  })

  test('omits version numbers that are too long', () => {
    const describeOs = (version: string) =>
      describeClick({
        ...click,
        userAgent: `Mozilla/5.0 (Linux; Android ${version}; K) Chrome/126.0.0.0 Mobile Safari/537.36`,
      }).os
    expect(describeOs('14')).toBe('Android 14')
    expect(describeOs('123456')).toBe('Android')
  })

  test('contains only text that PostgreSQL accepts, of limited length', () => {
    const description = createDescribeClick({
      visitorHash: () => 1n,
      countryLabel: () => 'Norway',
      parseUserAgent: () => ({
        browser: `a\0\ud800${'b'.repeat(500)}`,
        os: '',
        device: 'unknown',
        platform: 'unknown',
      }),
      namesFullBrowser: () => false,
      findRobot: () => undefined,
      findProgram: () => undefined,
      referrerHost: () => undefined,
      referrerLabel: () => '__proto__',
      socialNetwork: () => undefined,
      preferredLanguage: () => undefined,
    })(click)
    expect(description.browser).toBe(`a\ufffd${'b'.repeat(251)}`)
    expect(description.os).toBe('Unknown')
    expect(description.referrer).toBe('__proto__')
  })
})

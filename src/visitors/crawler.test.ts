import type { IncomingHttpHeaders } from 'node:http'
import { list } from 'isbot'
import { describe, expect, test } from 'vitest'
import { isCrawler, isLinkPreviewBot, isPrefetch, patternsLeftOut } from './crawler.ts'
import { browsers, crawlers, linkPreviewBots, strangers, tools } from './user-agents.fixture.ts'

describe('isCrawler', () => {
  test('is tried on enough samples', () => {
    expect(crawlers.length).toBeGreaterThanOrEqual(60)
    expect(browsers.length + tools.length).toBeGreaterThanOrEqual(60)
  })

  test.each([...crawlers, ...linkPreviewBots])('%s names itself', (ua) => {
    expect(isCrawler(ua)).toBe(true)
    expect(isCrawler(ua)).toBe(true)
  })

  test.each(browsers)('a browser is a person: $ua', ({ ua }) => {
    expect(isCrawler(ua)).toBe(false)
    expect(isCrawler(ua)).toBe(false)
  })

  test.each(tools)('a tool is a person: $ua', ({ ua }) => {
    expect(isCrawler(ua)).toBe(false)
  })

  test.each(strangers)('an unknown name is a person: %j', (ua) => {
    expect(isCrawler(ua)).toBe(false)
  })

  test('reads the first 512 bytes only', () => {
    expect(isCrawler(`${'x'.repeat(512)} Googlebot`)).toBe(false)
    expect(isCrawler(`Googlebot ${'x'.repeat(100_000)}`)).toBe(true)
  })

  test('leaves out only patterns that isbot has', () => {
    expect([...patternsLeftOut].filter((pattern) => !list.includes(pattern))).toEqual([])
  })
})

describe('isLinkPreviewBot', () => {
  test.each(linkPreviewBots)('%s shows previews', (ua) => {
    expect(isLinkPreviewBot(ua)).toBe(true)
  })

  test.each([...crawlers, ...strangers])('%s does not', (ua) => {
    expect(isLinkPreviewBot(ua)).toBe(false)
  })

  test.each([...browsers, ...tools])('a person gets no preview: $ua', ({ ua }) => {
    expect(isLinkPreviewBot(ua)).toBe(false)
  })
})

describe('isPrefetch', () => {
  test.each<IncomingHttpHeaders>([
    { 'sec-purpose': 'prefetch' },
    { 'sec-purpose': 'prefetch;prerender' },
    { 'sec-purpose': 'prefetch;anonymous-client-ip' },
    { purpose: 'prefetch' },
    { purpose: 'Prefetch' },
    { purpose: ['x', 'prefetch'] },
    { 'x-moz': 'prefetch' },
  ])('tells that %j asks ahead of a visit', (headers) => {
    expect(isPrefetch(headers)).toBe(true)
  })

  test.each<IncomingHttpHeaders>([
    {},
    { purpose: '' },
    { purpose: 'no-prefetching' },
    { 'sec-purpose': 'speculationrules' },
    { 'sec-fetch-purpose': 'prefetch' },
  ])('takes %j for a visit', (headers) => {
    expect(isPrefetch(headers)).toBe(false)
  })
})

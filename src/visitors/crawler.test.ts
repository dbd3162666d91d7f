import type { IncomingHttpHeaders } from 'node:http'
import { list } from 'isbot'
import { describe, expect, test } from 'vitest'
import {
  browsers,
  crawlers,
  linkPreviewBots,
  tools,
  unknownClients,
} from '../../test/fixtures/user-agents.ts'
import { BOT_NAMES, type BotKind } from './bot-names.ts'
import { createClientClassifier, excludedPatterns, isPrefetch } from './crawler.ts'

const { classify: classifyClient, isCrawler, isLinkPreviewBot } = createClientClassifier()

describe('every name in the table', () => {
  const names = Object.entries(BOT_NAMES).flatMap(([kind, list]) =>
    list.map((name) => [name, kind as BotKind] as const),
  )

  test.each(names)('%s is a %s', (entry, kind) => {
    const name = entry.replace(/^\^|[/(]$/g, '')
    const suffix = entry.endsWith('(') ? '(https://example.com)' : '/1.0'
    expect(classifyClient(`${name}${suffix}`)).toBe(kind)
    expect(classifyClient(`${name.toUpperCase()}${suffix} (x86_64)`)).toBe(kind)
    if (entry.startsWith('^')) return
    expect(classifyClient(`http.rb/5.1.1 (${name}${suffix}; +https://example.com/)`)).toBe(kind)
    expect(classifyClient(`Mozilla/5.0 (compatible; ${name}${suffix})`)).toBe(kind)
    expect(classifyClient(`Mozilla/5.0 (X11) x${name}`)).not.toBe('monitor')
  })

  test('is listed once', () => {
    const lowercase = names.map(([name]) => name.toLowerCase())
    expect(lowercase.filter((name, index) => lowercase.indexOf(name) !== index)).toEqual([])
  })
})

describe('isCrawler', () => {
  test('is tested with enough samples', () => {
    expect(crawlers.length).toBeGreaterThanOrEqual(60)
    expect(browsers.length + tools.length).toBeGreaterThanOrEqual(60)
  })

  test.each([...crawlers, ...linkPreviewBots])('recognizes %s', (ua) => {
    expect(isCrawler(ua)).toBe(true)
    // The result is cached now.
    expect(isCrawler(ua)).toBe(true)
  })

  test.each(browsers)('does not match a browser: $ua', ({ ua }) => {
    expect(isCrawler(ua)).toBe(false)
    // The result is cached now.
    expect(isCrawler(ua)).toBe(false)
  })

  test.each(tools)('does not match a tool: $ua', ({ ua }) => {
    expect(isCrawler(ua)).toBe(false)
  })

  test.each(unknownClients)('does not match an unknown name: %j', (ua) => {
    expect(isCrawler(ua)).toBe(false)
  })

  test('reads the first 512 bytes only', () => {
    expect(isCrawler(`${'x'.repeat(512)} Googlebot`)).toBe(false)
    expect(isCrawler(`Googlebot ${'x'.repeat(100_000)}`)).toBe(true)
  })

  test('excludes only existing patterns of isbot', () => {
    expect([...excludedPatterns].filter((pattern) => !list.includes(pattern))).toEqual([])
  })
})

describe('isLinkPreviewBot', () => {
  test.each(linkPreviewBots)('recognizes %s', (ua) => {
    expect(isLinkPreviewBot(ua)).toBe(true)
  })

  test.each([...crawlers, ...unknownClients])('does not match %s', (ua) => {
    expect(isLinkPreviewBot(ua)).toBe(false)
  })

  test.each([...browsers, ...tools])('does not match a browser: $ua', ({ ua }) => {
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
  ])('treats %j as a prefetch', (headers) => {
    expect(isPrefetch(headers)).toBe(true)
  })

  test.each<IncomingHttpHeaders>([
    {},
    { purpose: '' },
    { purpose: 'no-prefetching' },
    { 'sec-purpose': 'speculationrules' },
    { 'sec-fetch-purpose': 'prefetch' },
  ])('treats %j as a visit', (headers) => {
    expect(isPrefetch(headers)).toBe(false)
  })
})

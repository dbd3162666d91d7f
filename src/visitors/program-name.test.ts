import { expect, test } from 'vitest'
import { createClientClassifier } from './crawler.ts'
import { findProgramName } from './program-name.ts'

test.each([
  ['Mozilla/5.0 (compatible; ExampleBot/1.2; +https://example.com/bot)', 'ExampleBot'],
  ['ExampleFetcher', 'ExampleFetcher'],
  ['BrightEdge Crawler/1.0 (crawler@example.com)', 'BrightEdge Crawler'],
  ['Mozilla/5.0 (Windows NT 6.1) Chrome/21.0 Safari/537.1; 360Spider', '360Spider'],
  ['acme-sync/3.1 (linux; x86_64)', 'acme-sync'],
  ['Mozilla/5.0 (Windows NT 10.0) Chrome/78.0 (+https://www.loc.example/archive)', 'loc.example'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0', undefined],
  [`${'a'.repeat(200)}/1.0`, 'a'.repeat(60)],
  ['', undefined],
])('%s is named %s', (userAgent, name) => {
  expect(findProgramName(userAgent)).toBe(name)
})

test.each([
  ['facebookexternalhit/1.1 (+http://www.facebook.com/)', 'preview', 'facebookexternalhit'],
  ['WhatsApp/2.23.20 A', 'preview', 'WhatsApp'],
  ['http.rb/5.1.1 (MASTODON/4.2; +https://social.example/)', 'preview', 'Mastodon'],
  ['Mozilla/5.0 (compatible; UptimeRobot/2.0; http://uptimerobot.com/)', 'monitor', 'UptimeRobot'],
  ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/)', 'crawler', 'Googlebot'],
])('%s is the %s %s', (userAgent, kind, name) => {
  expect(createClientClassifier().findRobot(userAgent)).toEqual({ kind, name })
})

test('robots of BOTS_FILE have the name in it, and other clients none', () => {
  const { findRobot } = createClientClassifier({ monitor: ['^Example Check'] })
  expect(findRobot('example check/2')).toEqual({ kind: 'monitor', name: 'Example Check' })
  expect(findRobot('curl/8.5.0')).toBeUndefined()
  expect(findRobot('Mozilla/5.0 (X11; Linux x86_64) Firefox/128.0')).toBeUndefined()
})

import { expect, test } from 'vitest'
import { robotsTxt } from './robots.ts'

test('lets search engines have our own pages and no short link', () => {
  const [everyone = ''] = robotsTxt().split('\n\n')
  expect(everyone.split('\n')).toEqual([
    'User-agent: *',
    'Allow: /$',
    'Allow: /docs',
    'Allow: /register$',
    'Allow: /b/',
    'Allow: /favicon.svg$',
    'Disallow: /',
  ])
})

test('lets the bots that draw link previews open short links', () => {
  const [, previews = ''] = robotsTxt().split('\n\n')
  expect(previews).toContain('User-agent: facebookexternalhit\nUser-agent: Twitterbot\n')
  expect(previews).toMatch(/\nDisallow: \/api\/\n/)
  expect(previews).not.toMatch(/^Disallow: \/$/m)
})

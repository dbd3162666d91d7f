import { expect, test } from 'vitest'
import { robotsTxt } from './robots.ts'

test('allows search engines our own pages but no short links', () => {
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

test('allows preview bots to open short links', () => {
  const [, previews = ''] = robotsTxt().split('\n\n')
  expect(previews).toContain('User-agent: facebookexternalhit\nUser-agent: Twitterbot\n')
  expect(previews).toMatch(/\nDisallow: \/api\/\n/)
  expect(previews).not.toMatch(/^Disallow: \/$/m)
})

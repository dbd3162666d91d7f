import { expect, test } from 'vitest'
import { BOT_NAMES } from '../visitors/bot-names.ts'
import { robotsTxt } from './robots.ts'

test('robots.txt lets search engines index our own pages but not short links', () => {
  const [everyone = ''] = robotsTxt(BOT_NAMES.preview).split('\n\n')
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

test('robots.txt lets preview bots open short links', () => {
  const [, previews = ''] = robotsTxt(BOT_NAMES.preview).split('\n\n')
  expect(previews).toContain('User-agent: facebookexternalhit\nUser-agent: Twitterbot\n')
  expect(previews).toMatch(/\nDisallow: \/api\/\n/)
  expect(previews).not.toMatch(/^Disallow: \/$/m)
})

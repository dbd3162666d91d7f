import { expect, test } from 'vitest'
import { hashDestinations, listDestinations, listHosts } from './destination.ts'

const row = {
  url: 'https://Good.example/',
  rules: [
    { when: { country: 'DE' }, to: 'https://evil.example:444/a' },
    { when: { device: 'iphone' }, to: 'https://Good.example/' },
    { when: { language: 'de' }, to: 'https://evil.example/b' },
  ],
  split: [],
  expired_url: 'https://expired.example/',
  splash_link: 'https://splash.example/',
  overlay_link: null,
}

test('the destinations of a link are listed without duplicates, its own first', () => {
  const destinations = listDestinations(row)
  expect(destinations).toEqual([
    'https://Good.example/',
    'https://evil.example:444/a',
    'https://evil.example/b',
    'https://expired.example/',
    'https://splash.example/',
  ])
  const otherHosts = ['evil.example', 'expired.example', 'splash.example']
  expect(listHosts(destinations)).toEqual(['good.example', ...otherHosts])
})

test('an invalid URL has no host', () => {
  expect(listHosts(['', 'nothing', 'mailto:a@b.example'])).toEqual([])
})

test('different destinations have different hashes', () => {
  expect(hashDestinations(['https://a.example/'])).toBe(hashDestinations(['https://a.example/']))
  expect(hashDestinations(['https://a.example/'])).not.toBe(
    hashDestinations(['https://b.example/']),
  )
})

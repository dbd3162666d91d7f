import { expect, test } from 'vitest'
import { english } from '../../test/fixtures/english.ts'
import { campaignPage } from './campaign.ts'

const links = [{ title: 'One & two', shortUrl: 'https://s.example/abc' }]
const defaults = { ...english, name: 'Spring', username: 'ada', links, page: 1, maxPage: 1 }

test('the public list of a campaign shows links by title and short URL', () => {
  const document = campaignPage(defaults)
  expect(document).toContain('<h1 dir="auto">Spring</h1>')
  expect(document).toContain('Links by <bdi>ada</bdi>')
  expect(document).toContain(
    'href="https://s.example/abc"><strong dir="auto">One &amp; two</strong>',
  )
  expect(document).toContain('<span class="address"><bdi>s.example/abc</bdi></span>')
  expect(document).not.toContain('<nav')
})

test('the public list of a campaign shows a message if there are no links', () => {
  const document = campaignPage({ ...defaults, links: [] })
  expect(document).toContain('No links yet.')
  expect(document).not.toContain('<ul')
})

test.each([
  [1, [2]],
  [2, [1, 3]],
  [3, [2]],
])('the public list of a campaign links from page %i of 3 to adjacent pages', (page, neighbors) => {
  const document = campaignPage({ ...defaults, page, maxPage: 3 })
  const linkedPages = [...document.matchAll(/href="\?page=(\d+)"/g)].map((match) =>
    Number(match[1]),
  )
  expect(linkedPages).toEqual(neighbors)
  expect(document).toContain(`Page ${page} of 3`)
})

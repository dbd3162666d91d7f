import { expect, test } from 'vitest'
import { english } from '../../test/fixtures/english.ts'
import { framePage, framePolicy } from './frame.ts'

test('the frame page shows the destination in a frame with a title', () => {
  const document = framePage({
    ...english,
    destination: 'https://example.com/?a=1&b="',
    meta: { title: 'My "page"', description: 'D' },
  })
  expect(document).toContain(
    '<iframe src="https://example.com/?a=1&amp;b=%22" title="My &quot;page&quot;"',
  )
  expect(document).toContain('<title>My &quot;page&quot;</title>')
  expect(document).toContain('property="og:description" content="D"')
  expect(document.match(/<h1/g)).toHaveLength(1)
})

test('the frame page uses the host as the title if there is none', () => {
  const document = framePage({ ...english, destination: 'https://example.com/x' })
  expect(document).toContain('<title>example.com</title>')
  expect(document).toContain('title="example.com"')
})

test('the frame page prevents the destination from navigating the window by itself', () => {
  const document = framePage({ ...english, destination: 'https://example.com/' })
  const sandbox = /sandbox="([^"]*)"/.exec(document)?.[1]?.split(' ')
  expect(sandbox).toContain('allow-scripts')
  expect(sandbox).toContain('allow-top-navigation-by-user-activation')
  expect(sandbox).not.toContain('allow-top-navigation')
})

test('the frame page allows the frame to follow redirects to other sites', () => {
  expect(framePolicy).toEqual({ frameSrc: ['https:', 'http:'] })
})

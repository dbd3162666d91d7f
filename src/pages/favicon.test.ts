import { XMLValidator } from 'fast-xml-parser'
import { expect, test } from 'vitest'
import { favicon, faviconPath } from './favicon.ts'
import { homePage } from './home.ts'

test('is an SVG document that stands on its own', () => {
  expect(favicon()).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
  expect(XMLValidator.validate(favicon())).toBe(true)
  expect(favicon()).not.toContain('var(')
})

test('is what the pages point to', () => {
  expect(homePage({ nonce: 'n', registrationOpen: true })).toContain(`href="${faviconPath}"`)
})

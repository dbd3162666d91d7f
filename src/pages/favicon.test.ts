import { XMLValidator } from 'fast-xml-parser'
import { expect, test } from 'vitest'
import { english } from '../../test/fixtures/english.ts'
import { favicon, faviconPath } from './brand-mark.ts'
import { homePage } from './home.ts'

test('the favicon is a standalone SVG document', () => {
  expect(favicon()).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
  expect(XMLValidator.validate(favicon())).toBe(true)
  expect(favicon()).not.toContain('var(')
})

test('the favicon is referenced by pages', () => {
  expect(homePage({ ...english, isRegistrationOpen: true })).toContain(`href="${faviconPath}"`)
})

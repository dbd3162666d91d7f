import { expect, test } from 'vitest'
import { formatLinkType, parseLinkType } from './link-type.ts'

test.each([
  ['direct', { redirect: 'direct', splashId: null, overlayId: null }],
  ['frame', { redirect: 'frame', splashId: null, overlayId: null }],
  ['splash', { redirect: 'splash', splashId: null, overlayId: null }],
  ['12', { redirect: 'splash', splashId: 12, overlayId: null }],
  ['overlay-12', { redirect: 'overlay', splashId: null, overlayId: 12 }],
] as const)('the type %s is parsed and formatted', (type, parsed) => {
  expect(parseLinkType(type)).toEqual(parsed)
  expect(parseLinkType(type.toUpperCase())).toEqual(parsed)
  expect(formatLinkType(parsed)).toBe(type)
})

test.each([
  '',
  '0',
  '-1',
  '1.5',
  'overlay',
  'overlay-',
  'overlay-0',
  'redirect',
  '9007199254740993',
  '1e3',
])('the type %j is rejected', (type) => {
  expect(() => parseLinkType(type)).toThrow(/^type must be /)
})

test('a link whose overlay was deleted is direct', () => {
  expect(formatLinkType({ redirect: 'overlay', splashId: null, overlayId: null })).toBe('direct')
})

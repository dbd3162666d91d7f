import { describe, expect, test } from 'vitest'
import {
  type LegacyLink,
  presentCreated,
  presentError,
  presentInfo,
  presentState,
} from './operations.ts'

const now = new Date('2031-05-06T07:08:09.999Z')
const link: LegacyLink = {
  id: 9007199254740991,
  shortUrl: 'https://s.example/größe',
  alias: 'größe',
  url: 'https://example.com/?a=1&b=2',
  createdAt: new Date('2030-01-02T03:04:05.678Z'),
  lastClickAt: new Date('2030-02-03T04:05:06.000Z'),
  clicks: 12,
  hasPassword: true,
  expiresAt: new Date('2032-12-31T23:59:59.999Z'),
  status: 'active',
}

/** Expects these fields in this order. */
function expectFields(data: object, expected: [string, unknown][]) {
  expect(Object.entries(data)).toEqual(expected)
}

describe('the data of a legacy API reply', () => {
  test('describes a created link', () => {
    expectFields(presentCreated(link, now), [
      ['url_id', '9007199254740991'],
      ['short_url', 'https://s.example/größe'],
      ['short_url_part', 'größe'],
      ['original_url', 'https://example.com/?a=1&b=2'],
      ['date_time', '2031-05-06 07:08:09'],
    ])
  })

  test.each(['active', 'disabled'] as const)('describes a link that is now %s', (status) => {
    expectFields(presentState({ ...link, status }, now), [
      ['url_id', '9007199254740991'],
      ['status', status],
      ['short_url', 'https://s.example/größe'],
      ['date_time', '2031-05-06 07:08:09'],
    ])
  })

  test('describes a link with all properties', () => {
    expectFields(presentInfo(link, now), [
      ['url_id', '9007199254740991'],
      ['short_url', 'https://s.example/größe'],
      ['short_url_part', 'größe'],
      ['original_url', 'https://example.com/?a=1&b=2'],
      ['date_created', '2030-01-02 03:04:05'],
      ['last_accessed', '2030-02-03 04:05:06'],
      ['total_visits', 12],
      ['has_password', true],
      ['expiry_date', '2032-12-31 23:59:59'],
      ['status', 'active'],
      ['date_time', '2031-05-06 07:08:09'],
    ])
  })

  test('describes a link without clicks, password or expiration', () => {
    const unusedLink: LegacyLink = {
      ...link,
      lastClickAt: null,
      clicks: 0,
      hasPassword: false,
      expiresAt: null,
      status: 'disabled',
    }
    expect(presentInfo(unusedLink, now)).toMatchObject({
      last_accessed: '',
      total_visits: 0,
      has_password: false,
      expiry_date: '',
      status: 'disabled',
    })
  })

  test('describes an error', () => {
    expectFields(presentError('url is required', now), [
      ['message', 'url is required'],
      ['date_time', '2031-05-06 07:08:09'],
    ])
  })
})

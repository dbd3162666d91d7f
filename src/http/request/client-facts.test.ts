import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../config.ts'
import { createProxyReader, parseForwardedAddress } from './client-facts.ts'

describe('an entry of a forwarding header', () => {
  test.each([
    ['81.2.69.142:51234', '81.2.69.142'],
    ['81.2.69.142', '81.2.69.142'],
    [' 81.2.69.142 ', '81.2.69.142'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[2001:DB8::1]', '2001:db8::1'],
    ['"[2001:db8::1]:443"', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['2001:db8:0:0:0:0:0:1:46532', '2001:db8::1'],
    ['2001:db8:0:0:0:0:0:1', '2001:db8::1'],
    ['::ffff:81.2.69.142', '81.2.69.142'],
    ['[::ffff:81.2.69.142]:80', '81.2.69.142'],
    ['fe80::1%eth0', 'fe80::1'],
  ])('%s is the address %s', (entry, address) => {
    expect(parseForwardedAddress(entry)).toBe(address)
  })

  test.each([
    '',
    'unknown',
    '_hidden',
    '81.2.69',
    '81.2.69.142:',
    '81.2.69.142:x',
    '081.002.069.142',
    '[81.2.69.142]:80',
    '[2001:db8::1',
    'localhost:80',
    '81.2.69.142:80:80',
    'for=81.2.69.142',
  ])('%j is no address', (entry) => {
    expect(parseForwardedAddress(entry)).toBe('')
  })
})

describe('the headers of a proxy', () => {
  const warnings: object[] = []
  const settings = {
    trustProxy: ['10.0.0.0/8', '2001:db8:ffff::/48'],
    clientAddressHeader: undefined,
    countryHeader: undefined,
  }
  const log = { warn: (fields: object) => warnings.push(fields) }

  function read(
    headers: IncomingHttpHeaders,
    { peer = '10.0.0.1', ...changed }: { peer?: string; clientAddressHeader?: string } = {},
  ) {
    const socket = { remoteAddress: peer } as IncomingMessage['socket']
    createProxyReader({ ...settings, ...changed }, log as never)({ headers, socket })
    return headers
  }

  test.each([
    ['203.0.113.9:1, 10.0.0.2:2', '203.0.113.9'],
    ['198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['unknown, 203.0.113.9', '203.0.113.9'],
    ['10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['203.0.113.9, [2001:db8:ffff::2]:443,', '203.0.113.9'],
  ])('X-Forwarded-For: %s names %s', (list, address) => {
    expect(read({ 'x-forwarded-for': list })['x-forwarded-for']).toBe(address)
  })

  test.each(['unknown', '203.0.113.9, unknown', '203.0.113.9, unknown, 10.0.0.2', ' , '])(
    'X-Forwarded-For: %j names nobody, but shows that the request is forwarded',
    (list) => {
      expect(read({ 'x-forwarded-for': list })).toEqual({ 'x-original-forwarded-for': list })
    },
  )

  test('of another peer stay as they are', () => {
    const headers = {
      host: 'a.test',
      'x-forwarded-for': '203.0.113.9:1',
      'x-forwarded-host': 'b.test',
    }
    expect(read({ ...headers }, { peer: '192.0.2.1' })).toEqual(headers)
  })

  test('replace the host, if the nearest proxy names one', () => {
    for (const [list, host] of [
      ['go.test', 'go.test'],
      ['evil.test, go.test:8443', 'go.test:8443'],
      ['[2001:db8::9]:80', '[2001:db8::9]:80'],
      ['', 'a.test'],
      ['go.test/', 'a.test'],
      ['go.test rival.test', 'a.test'],
      ['user@go.test', 'a.test'],
    ] as const) {
      expect(read({ host: 'a.test', 'x-forwarded-host': list }).host, list).toBe(host)
    }
  })

  test('use only the configured header for the address', () => {
    const options = { clientAddressHeader: 'cf-connecting-ip' }
    const forged = { 'x-forwarded-for': '198.51.100.1' }
    expect(read({ ...forged, 'cf-connecting-ip': '203.0.113.9' }, options)).toMatchObject({
      'x-forwarded-for': '203.0.113.9',
    })
    expect(read({ ...forged }, options)).toEqual({ 'x-original-forwarded-for': '198.51.100.1' })
  })
})

test.each(['CLIENT_ADDRESS_HEADER', 'COUNTRY_HEADER'])(
  'the setting %s needs TRUST_PROXY',
  (name) => {
    expect(() => readConfig({ [name]: 'x-test' })).toThrow(`${name} needs TRUST_PROXY`)
    expect(() => readConfig({ [name]: 'x test', TRUST_PROXY: '10.0.0.0/8' })).toThrow(
      `${name} must be the name of a header`,
    )
    expect(() => readConfig({ [name]: 'X-Test', TRUST_PROXY: '10.0.0.0/8' })).not.toThrow()
  },
)

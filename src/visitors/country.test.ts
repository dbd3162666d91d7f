import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import countries from 'i18n-iso-countries/index.js'
import { type CountryResponse, open } from 'maxmind'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createCountryDatabase } from '../../test/fixtures/country-database.ts'
import { createCountryLookup } from './country.ts'
import { findCountryCode, getCountryName } from './country-names.ts'

const DATA = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb'

describe('the default data', () => {
  test('returns the same results for adjacent addresses in any order of lookups', async () => {
    const file = createRequire(import.meta.url).resolve(DATA)
    const reader = await open<CountryResponse & { country_code?: string }>(file)
    const forwards = await createCountryLookup()
    const backwards = await createCountryLookup()
    const blocks = ['1.0', '5.62', '23.19', '46.36', '185.12', '193.0', '203.0']
    const addresses = blocks.flatMap((block) =>
      Array.from({ length: 64 }, (_, index) => `${block}.${index * 4}.9`),
    )
    const expected = new Map(
      addresses.map((address) => [address, reader.get(address)?.country_code]),
    )
    expect(new Map(addresses.map((address) => [address, forwards.lookup(address)]))).toEqual(
      expected,
    )
    expect(
      new Map(addresses.toReversed().map((address) => [address, backwards.lookup(address)])),
    ).toEqual(expected)
    expect(new Set(expected.values()).size).toBeGreaterThan(5)
  })

  test.each([
    ['8.8.8.8', 'US'],
    ['::ffff:8.8.8.8', 'US'],
    ['193.99.144.80', 'DE'],
    ['2001:4860:4860::8888', 'US'],
    ['2a02:2e0:3fe:1001::1', 'DE'],
  ])('%s is in %s', async (ip, code) => {
    const country = await createLookup({})
    expect(country.lookup(ip)).toBe(code)
    expect(country.lookup(ip)).toBe(code)
  })
})

describe('the attribution', () => {
  test('of the bundled data names the NRO and its license', async () => {
    const country = await createLookup({})
    expect(country.credit()).toEqual({
      text: 'Country data: NRO (nro.net), CC BY 4.0',
      href: 'https://www.nro.net',
    })
    expect(country.source()).toEqual({ bundled: true, builtAt: expect.any(Date) })
  })

  test.each([
    ['DBIP-Country-Lite', 'IP Geolocation by DB-IP'],
    ['GeoLite2-Country', expect.stringContaining('GeoLite2 data created by MaxMind')],
    ['GeoIP2-Country', undefined],
    ['Test-Country', undefined],
  ])('of a file of type %s is %s', async (type, text) => {
    const folder = await mkdtemp(join(tmpdir(), 'country-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'country.mmdb')
    await writeFile(file, createCountryDatabase({ country_code: 'FR' }, type))
    const country = await createLookup({ file })
    expect(country.credit()?.text).toEqual(text)
    const builtAt = new Date('2023-11-14T22:13:20Z')
    expect(country.source()).toEqual({ bundled: false, builtAt })
  })
})

describe("an operator's file", () => {
  let folder: string
  let file: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'country-'))
    file = join(folder, 'country.mmdb')
  })
  afterEach(() => rm(folder, { recursive: true }))

  test.each([
    [{ country: { iso_code: 'FR' } }, 'FR'],
    [{ country_code: 'FR' }, 'FR'],
    [{ country_code: 'fr' }, 'FR'],
    [{ country_code: 'ZZ' }, undefined],
    [{ country_code: 33 }, undefined],
    [{ country: {} }, undefined],
    [{}, undefined],
  ])('with the record %j returns %s', async (record, code) => {
    await writeFile(file, createCountryDatabase(record))
    const country = await createLookup({ file })
    expect(country.lookup('8.8.8.8')).toBe(code)
    expect(country.lookup('2001:4860::1')).toBe(code)
  })

  test.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.0.1',
    '100.64.0.1',
    '0.0.0.0',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1%eth0',
    'fd00::1',
    '::ffff:10.0.0.1',
    '',
    'localhost',
    '1.2.3',
    '8.8.8.8:80',
  ])('returns no country for %j, even if its data covers all addresses', async (ip) => {
    await writeFile(file, createCountryDatabase({ country_code: 'FR' }))
    expect((await createLookup({ file })).lookup(ip)).toBeUndefined()
  })

  test('that is missing at startup is named in the error', async () => {
    await expect(createCountryLookup({ file })).rejects.toThrow(file)
  })

  test.each([
    ['empty', Buffer.alloc(0)],
    ['text', Buffer.from('not a database')],
    ['cut off at its end', createCountryDatabase({ country_code: 'FR' }).subarray(0, -20)],
    ['cut off at its beginning', createCountryDatabase({ country_code: 'FR' }).subarray(30)],
    ['compressed', Buffer.from('1f8b0800', 'hex')],
  ])('that is %s at startup is named in the error', async (_, content) => {
    await writeFile(file, content)
    await expect(createCountryLookup({ file })).rejects.toThrow(file)
  })

  test('is reloaded when it is replaced', async () => {
    await writeFile(file, createCountryDatabase({ country_code: 'FR' }))
    const country = await createLookup({ file, pollMs: 5 })
    expect(country.lookup('8.8.8.8')).toBe('FR')
    await writeFile(join(folder, 'new'), createCountryDatabase({ country: { iso_code: 'DE' } }))
    await rename(join(folder, 'new'), file)
    await vi.waitFor(() => expect(country.lookup('8.8.8.8')).toBe('DE'), { timeout: 20_000 })
  })

  test('that becomes invalid is retried with one warning, and old data stays in use', async () => {
    const log = { warn: vi.fn() }
    await writeFile(file, createCountryDatabase({ country_code: 'FR' }))
    const country = await createLookup({ file, log, pollMs: 5 })
    const newDatabase = createCountryDatabase({ country: { iso_code: 'DE' } })

    await writeFile(file, newDatabase.subarray(0, -20))
    await vi.waitFor(() => expect(log.warn).toHaveBeenCalledOnce(), { timeout: 20_000 })
    await country.reload()
    await country.reload()
    expect(log.warn).toHaveBeenCalledOnce()
    expect(log.warn.mock.lastCall?.[0]).toMatchObject({ file })
    expect(country.lookup('8.8.4.4')).toBe('FR')

    await writeFile(file, newDatabase)
    await vi.waitFor(() => expect(country.lookup('8.8.8.8')).toBe('DE'), { timeout: 20_000 })
  })

  test('that is unreadable when a process starts again is replaced by the bundled data until it is readable', async () => {
    const log = { warn: vi.fn() }
    await writeFile(file, 'not a database')
    const country = await createLookup({ file, log, mayBeUnreadable: true })
    await country.reload()
    expect(log.warn).toHaveBeenCalledOnce()
    expect(country.lookup('8.8.8.8')).toBe('US')
    expect(country.source().bundled).toBe(true)
    await writeFile(file, createCountryDatabase({ country_code: 'FR' }))
    await country.reload()
    expect(country.lookup('8.8.8.8')).toBe('FR')
    expect(country.source().bundled).toBe(false)
  })

  test('that is deleted does not affect the loaded data', async () => {
    const log = { warn: vi.fn() }
    await writeFile(file, createCountryDatabase({ country_code: 'FR' }))
    const country = await createLookup({ file, log })
    await rm(file)
    await country.reload()
    expect(log.warn).toHaveBeenCalledOnce()
    expect(country.lookup('8.8.8.8')).toBe('FR')
    await writeFile(file, createCountryDatabase({ country_code: 'DE' }))
    await country.reload()
    expect(country.lookup('8.8.8.8')).toBe('DE')
  })

  test('is not watched after close', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    await writeFile(file, createCountryDatabase({ country_code: 'FR' }))
    const country = await createCountryLookup({ file })
    expect(vi.getTimerCount()).toBe(1)
    country.close()
    expect(vi.getTimerCount()).toBe(0)
    expect(country.lookup('8.8.8.8')).toBe('FR')
  })
})

describe('country names', () => {
  const codes = Object.keys(countries.getAlpha2Codes())

  test('are unique per code and parsed as the same code', () => {
    expect(codes.length).toBeGreaterThanOrEqual(249)
    for (const code of codes) {
      const name = getCountryName(code)
      expect(name).not.toBe('Unknown')
      expect([name, findCountryCode(name)]).toEqual([name, code])
      expect([name, findCountryCode(` ${name.toUpperCase()} `)]).toEqual([name, code])
      expect(findCountryCode(code.toLowerCase())).toBe(code)
      expect(getCountryName(code.toLowerCase())).toBe(name)
    }
    expect(new Set(codes.map(getCountryName)).size).toBe(codes.length)
  })

  test('include the common names of CLDR', () => {
    const commonNames = new Intl.DisplayNames('en', { type: 'region' })
    for (const code of codes) expect(findCountryCode(commonNames.of(code) ?? '')).toBe(code)
  })

  test.each([
    ['United States', 'US'],
    ['USA', 'US'],
    ['uk', 'GB'],
    ['Great Britain', 'GB'],
    ['russia', 'RU'],
    ['Czech Republic', 'CZ'],
    ['Turkey', 'TR'],
    ['south   korea', 'KR'],
    ['Moldova', 'MD'],
    ['Cote d’Ivoire', 'CI'],
    ['Bosnia & Herzegovina', 'BA'],
    ['Aland Islands', 'AX'],
    ['Congo', 'CG'],
  ])('include %s for %s', (name, code) => {
    expect(findCountryCode(name)).toBe(code)
  })

  test.each([
    ['US', 'United States'],
    ['gb', 'United Kingdom'],
    ['KR', 'South Korea'],
    ['SY', 'Syria'],
    ['TW', 'Taiwan'],
  ])('call %s %s', (code, name) => {
    expect(getCountryName(code)).toBe(name)
  })

  test.each(['', ' ', 'Atlantis', 'ZZ', 'EU', 'USSR', '__proto__', 'constructor', '840'])(
    'do not include %j',
    (name) => {
      expect(findCountryCode(name)).toBeUndefined()
      expect(getCountryName(name)).toBe('Unknown')
    },
  )

  test('are Unknown if there is no code', () => {
    expect(getCountryName(undefined)).toBe('Unknown')
  })
})

/** Creates a lookup that is closed after the test. */
async function createLookup(options: Parameters<typeof createCountryLookup>[0]) {
  const country = await createCountryLookup(options)
  onTestFinished(() => country.close())
  return country
}

import { describe, expect } from 'vitest'
import { createCountryDatabase } from '../fixtures/country-database.ts'
import type { TestApp } from '../support/app.ts'
import { signedIn } from '../support/console.ts'
import { visitTimes } from '../support/link-page.ts'
import { appTest } from '../support/test.ts'

const record = { country: { iso_code: 'DE' } }

const bundled = appTest()
const geolite2 = appTest({ files: { GEOIP_DB: createCountryDatabase(record, 'GeoLite2-Country') } })
const unknownType = appTest({ files: { GEOIP_DB: createCountryDatabase(record) } })

describe('country statistics', () => {
  bundled('credit the NRO for the bundled table', async ({ app }) => {
    await expectCredit(
      app,
      '<a href="https://www.nro.net" rel="noreferrer">Country data: NRO (nro.net), CC BY 4.0',
    )
  })

  geolite2('credit the operator’s own table as its license requires', async ({ app }) => {
    await expectCredit(
      app,
      '<a href="https://www.maxmind.com" rel="noreferrer">This product includes GeoLite2 data created by MaxMind',
    )
  })

  unknownType('show no credit for a table of an unknown type', async ({ app }) => {
    const [page, countries] = await openPages(app)
    expect(page).toContain('Germany')
    for (const body of [page, countries]) expect(body).not.toMatch(/maxmind|nro\.net/)
  })
})

/** Expects the attribution once on a page with countries, and not on one without. */
async function expectCredit(app: TestApp, credit: string): Promise<void> {
  const [page, countries, browsers] = await openPages(app)
  expect(page?.split(credit)).toHaveLength(2)
  expect(countries?.split(credit)).toHaveLength(2)
  expect(browsers).not.toContain(credit)
}

/** Returns the HTML of a link's page, of its countries and of its browsers. */
async function openPages(app: TestApp): Promise<string[]> {
  const owner = await app.make.owner()
  const { id, alias } = await app.make.link(owner)
  await visitTimes(app, alias, 2)
  await app.importClicks()
  const person = await signedIn(app, owner)
  const paths = ['', '/countries', '/browsers']
  const replies = await Promise.all(paths.map((path) => person.open(`/console/links/${id}${path}`)))
  expect(replies.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
  return replies.map(({ body }) => body)
}

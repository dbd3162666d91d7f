import { describe, expect } from 'vitest'
import type { BrowserApp } from '../support/browser-app.ts'
import { browserSetups, browserTest } from '../support/browser-test.ts'
import { inspect } from '../support/inspection.ts'
import { selectFromMenu } from '../support/link-page.ts'

const test = browserTest().extend('clickedLinks', { scope: 'file' }, ({ app }) =>
  createClickedLinks(app),
)
// Creates the clicks in a hook, so that the time does not count for the first test.
test.beforeAll(({ clickedLinks }) => void clickedLinks)

const agents = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
]
const networkPrefixes = ['194.25.0', '8.8.4', '81.2.69', '1.32.128']

/** Creates two links with 60 clicks on two days, from different devices, countries and referrers. */
async function createClickedLinks(app: BrowserApp) {
  const owner = await app.make.owner()
  const firstLink = await app.make.link(owner, { alias: 'first', tags: ['Spring'] })
  const secondLink = await app.make.link(owner, { alias: 'second' })
  for (let index = 0; index < 60; index += 1) {
    if (index === 20) app.clock.advance(86_400)
    await app.request({
      url: `/${(index % 3 === 0 ? secondLink : firstLink).alias}`,
      remoteAddress: `${networkPrefixes[index % 4]}.${index + 1}`,
      headers: {
        'user-agent': agents[index % 2] ?? '',
        referer: `https://site-${index % 15}.example/`,
        'accept-language': index % 3 === 0 ? 'ar' : 'de',
      },
    })
  }
  await app.importClicks()
  const { pool } = app.services.database
  // Imported labels can be in any language and longer than ours.
  const renameLabel = (from: string, to: string) =>
    pool.query('update labels set name = $2 where name = $1', [from, to])
  await renameLabel('site-1.example', 'long label '.repeat(46).trim())
  await renameLabel('site-2.example', 'موقع الأخبار (تجربة)')
  return { owner, firstLink }
}

describe.each(browserSetups)('%s', (setupName, options) => {
  test('the analytics page filters, compares and charts the selected data', async ({
    app,
    signInPage,
    clickedLinks: { owner },
  }) => {
    await app.walk(async (page) => {
      await signInPage(page, owner)
      await page.goto(`${app.baseUrl}/console/analytics`)
      await inspect(page, `analytics-${setupName}`, options)
      await page.getByRole('link', { name: 'Germany' }).click()
      await page.waitForURL('**?country=Germany')
      // One of the four networks is in Germany: 15 of 60 clicks.
      expect(await page.locator('.figures .figure').first().textContent()).toBe('15')
      await page.getByRole('link', { name: 'New visitors' }).click()
      await page.waitForURL('**metric=visitors')
      await selectFromMenu(page, 'Compare', 'Previous period')
      await page.waitForURL('**compare=previous**')
      await page.getByRole('link', { name: 'Map', exact: true }).click()
      await page.waitForURL('**tab=map')
      await page.locator('.map').waitFor()
      await inspect(page, `analytics-map-${setupName}`, options)
      await page.getByRole('link', { name: /^Remove filter Country: Germany/ }).click()
      await page.waitForURL((url) => !url.searchParams.has('country'))
      await page.getByRole('link', { name: 'Devices', exact: true }).click()
      await page.waitForURL('**tab=devices**')
      await page.locator('#tech-devices').getByRole('link', { name: 'Mobile' }).waitFor()
      await selectFromMenu(page, 'Scope', 'Tag: Spring')
      await page.waitForURL('**tag=Spring**')
      await inspect(page, `analytics-tag-${setupName}`, options)
      await page.goto(`${app.baseUrl}/console/analytics?country=DE&from=2020-01-01`)
      await inspect(page, `analytics-early-${setupName}`, options)
    }, options)
  })

  test('a public page is created, viewed without a session, and revoked', async ({
    app,
    signInPage,
    clickedLinks: { owner, firstLink },
  }) => {
    await app.walk(async (page) => {
      await signInPage(page, owner)
      await page.goto(`${app.baseUrl}/console/links/${firstLink.id}`)
      await page.locator('.menu summary', { hasText: 'Public page' }).click()
      await page.getByRole('button', { name: 'Create public page' }).click()
      // The menu is open, because the URL is what the user wants to copy.
      await page.locator('.share-menu[open] #shared').waitFor()
      const url = String(await page.locator('#shared').getAttribute('href'))
      await page.context().clearCookies()
      await page.goto(url)
      await inspect(page, `shared-${setupName}`, options)
      await selectFromMenu(page, 'Period', 'Last 7 days')
      await page.waitForURL('**?period=7d')
      await page.getByRole('link', { name: 'Map', exact: true }).click()
      await page.locator('.map').waitFor()
      await inspect(page, `shared-map-${setupName}`, options)
      await signInPage(page, owner)
      await page.goto(`${app.baseUrl}/console/links/${firstLink.id}`)
      await page.locator('.menu summary', { hasText: 'Public page: on' }).click()
      await page.getByRole('button', { name: 'Revoke public page' }).click()
      await page.waitForURL(`**/links/${firstLink.id}`)
      expect((await page.goto(url))?.status()).toBe(404)
    }, options)
  })
})

test('the chart starts within the top 300 pixels, and the controls stay at the top while scrolling', async ({
  app,
  signInPage,
  clickedLinks: { owner, firstLink },
}) => {
  await app.walk(async (page) => {
    await signInPage(page, owner)
    for (const path of ['analytics', `links/${firstLink.id}`]) {
      await page.goto(`${app.baseUrl}/console/${path}`)
      expect((await page.locator('.chart').boundingBox())?.y).toBeLessThan(300)
      await page.evaluate(() => window.scrollTo(0, 600))
      expect((await page.locator('.controls').boundingBox())?.y).toBe(0)
    }
  })
})

test('tabs switch without reloading the page, and a reload keeps the tab', async ({
  app,
  signInPage,
  clickedLinks: { owner },
}) => {
  await app.walk(async (page) => {
    await signInPage(page, owner)
    await page.goto(`${app.baseUrl}/console/analytics`)
    // A new page would not have this class.
    await page.evaluate(() => document.body.classList.add('not-reloaded'))
    await page.getByRole('link', { name: 'Languages', exact: true }).click()
    await page.locator('#sources-languages').waitFor()
    expect(await page.locator('body.not-reloaded').count()).toBe(1)
    expect(await page.locator('#sources-referrers').isVisible()).toBe(false)
    await page.reload()
    await page.locator('#sources-languages').waitFor()
  })
})

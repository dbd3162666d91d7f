import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { desktop, phone } from '../support/browser.ts'
import { browserTest } from '../support/browser-test.ts'

const test = browserTest()

/** Returns the names in the navigation from top to bottom. */
const readSectionNames = (page: Page) =>
  page.locator('.sidebar nav a').evaluateAll((links) =>
    links
      .map((link) => ({
        name: link.textContent?.trim() ?? '',
        top: link.getBoundingClientRect().top,
      }))
      .toSorted((a, b) => a.top - b.top)
      .map(({ name }) => name),
  )

/** Returns the names in the navigation that are truncated or take more than two lines. */
const findTruncatedNames = (page: Page) =>
  page.locator('.sidebar nav a').evaluateAll((links) =>
    links
      .filter((link) => {
        const lines =
          link.getBoundingClientRect().height / Number.parseFloat(getComputedStyle(link).lineHeight)
        return link.scrollWidth > link.clientWidth || lines > 2.5
      })
      .map((link) => link.textContent?.trim()),
  )

test.for(['en', 'de'] as const)(
  'the navigation in %s has the same order on every page and width',
  async (language, { app, signInPage }) => {
    await app.walk(async (page) => {
      const owner = await signInPage(page)
      await app.services.db
        .updateTable('users')
        .set({ language })
        .where('email', '=', owner.account.email)
        .execute()
      await page.goto(`${app.baseUrl}/console`)
      const order = await readSectionNames(page)
      expect(order.length).toBeGreaterThan(12)
      expect(await findTruncatedNames(page)).toEqual([])
      for (const path of ['/console/links', '/console/webhooks', '/console/import']) {
        await page.setViewportSize(phone)
        await page.goto(`${app.baseUrl}${path}`)
        await page.locator('.top .menu-toggle').click()
        await page.locator('.sidebar nav').waitFor()
        expect([path, await readSectionNames(page)]).toEqual([path, order])
        expect(await findTruncatedNames(page)).toEqual([])
        await page.setViewportSize(desktop)
      }
    })
  },
)

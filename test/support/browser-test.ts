import type { BrowserContextOptions, Page } from 'playwright-core'
import { test } from 'vitest'
import { phone } from './browser.ts'
import { browserApp } from './browser-app.ts'
import type { Owner } from './make.ts'
import { openTargetSite } from './target-site.ts'
import { appTest } from './test.ts'

/** A way to look at a page, and its name. */
type Look = [string, BrowserContextOptions]

/** A text that finds every place that is too narrow. */
export const LONG = 'w'.repeat(120)

const phoneWithoutScripts: Look = [
  'phone without scripts',
  { viewport: phone, javaScriptEnabled: false },
]

/** With scripts, by their looks alone. */
export const scriptedLooks: readonly Look[] = [
  ['wide', {}],
  ['dark', { colorScheme: 'dark' }],
  ['phone', { viewport: phone }],
]
export const unscriptedLooks: readonly Look[] = [
  ['wide without scripts', { javaScriptEnabled: false }],
  phoneWithoutScripts,
]
/** What differs most; enough for most pages. */
export const looks: readonly Look[] = [...scriptedLooks, phoneWithoutScripts]
export const everyLook: readonly Look[] = [
  ...scriptedLooks,
  ['phone dark', { viewport: phone, colorScheme: 'dark' }],
  ...unscriptedLooks,
]

/**
 * Tests of pages in a browser: `app` with a browser before it, for each file one. `begin` signs the
 * browser of a page in without the form, which one address may send ten times a minute: as an account
 * of its own, or as the one that is given; it gives that account.
 */
export function browserTest() {
  const browser = test
    .extend('openApp', { scope: 'file' }, () => browserApp)
    .extend('app', { scope: 'file' }, async ({ openApp }, { onCleanup }) => {
      const app = await openApp()
      onCleanup(app.close)
      return app
    })
    .extend('begin', { scope: 'file' }, ({ app }) => async (page: Page, by?: Owner) => {
      const owner = by ?? (await app.make.owner())
      const value = await app.services.sessions.begin(owner.account.id)
      const url = `${app.baseUrl}/console`
      await page.context().addCookies([{ name: 'brevis_session', value, url }])
      return owner
    })
  // Starting takes the time of a hook, not of the first test.
  browser.beforeAll(({ app }) => app.listen())
  return browser
}

/** Tests of an app with another site beside it, where links lead; the browser is the file's own. */
export function siteTest() {
  return appTest()
    .extend('openSite', { scope: 'file' }, () => openTargetSite)
    .extend('site', { scope: 'file' }, async ({ openSite }, { onCleanup }) => {
      const site = await openSite()
      onCleanup(site.close)
      return site
    })
}

import type { BrowserContextOptions, Page } from 'playwright-core'
import { test } from 'vitest'
import { createSession } from '../../src/accounts/session.service.ts'
import { phone } from './browser.ts'
import { browserApp } from './browser-app.ts'
import type { Owner } from './make.ts'
import { openTargetSite } from './target-site.ts'
import { appTest } from './test.ts'

/** A way to use a page, and its name. */
type Look = [string, BrowserContextOptions]

/** A text that finds every place that is too narrow. */
export const LONG = 'w'.repeat(120)

export const withScripts: Look = ['with scripts', {}]
export const withoutScripts: Look = [
  'without scripts',
  { viewport: phone, javaScriptEnabled: false },
]
/**
 * What a page is used in. How it looks beside that, in the other width and in the dark, is looked at
 * wherever it is inspected.
 */
export const looks: readonly Look[] = [withScripts, withoutScripts]

/**
 * Tests of pages in a browser: `app` with a browser before it, for each file one, with the settings
 * `env`. `begin` signs the
 * browser of a page in without the form, which one address may send ten times a minute: as an account
 * of its own, or as the one that is given; it gives that account.
 */
export function browserTest(env: Record<string, string> = {}) {
  const browser = test
    .extend('env', { scope: 'file' }, () => env)
    .extend('openApp', { scope: 'file' }, () => browserApp)
    .extend('app', { scope: 'file' }, async ({ env, openApp }, { onCleanup }) => {
      const app = await openApp(env)
      onCleanup(app.close)
      return app
    })
    .extend('begin', { scope: 'file' }, ({ app }) => async (page: Page, by?: Owner) => {
      const owner = by ?? (await app.make.owner())
      const value = await createSession(app.services, app.services.db, owner.account.id)
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

/** Opens the drawer of the console where its navigation is one. */
export async function openNavigation(page: Page): Promise<void> {
  const toggle = page.getByRole('button', { name: 'Menu', exact: true })
  if (await toggle.isVisible()) await toggle.click()
}

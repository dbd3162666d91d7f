import type { BrowserContextOptions, Page } from 'playwright-core'
import { test } from 'vitest'
import { createSession } from '../../src/identity/session.service.ts'
import type { Lookup } from '../../src/net/checked-connector.ts'
import { scopeOf } from '../../src/scope.ts'
import { phone } from './browser.ts'
import { openBrowserApp } from './browser-app.ts'
import type { Owner } from './make.ts'
import { openTargetSite } from './target-site.ts'
import { appTest } from './test.ts'

/** A browser configuration and its name. */
type BrowserSetup = [string, BrowserContextOptions]

/** A word that overflows elements that do not break long words. */
export const LONG_WORD = 'w'.repeat(120)

export const withScripts: BrowserSetup = ['with scripts', {}]
export const withoutScripts: BrowserSetup = [
  'without scripts',
  { viewport: phone, javaScriptEnabled: false },
]
/** The configurations for tests. Other widths and dark mode are covered by inspections. */
export const browserSetups: readonly BrowserSetup[] = [withScripts, withoutScripts]

/**
 * Returns a `test` with `app`, which has a browser and the settings `env` and is shared by the tests
 * of a file. `signInPage` signs a page in as `caller`, by default the owner of a new account, without
 * the rate-limited form. It returns that owner.
 */
export function browserTest(env: Record<string, string> = {}, lookup?: Lookup) {
  const browser = test
    .extend('env', { scope: 'file' }, () => env)
    .extend('openApp', { scope: 'file' }, () => openBrowserApp)
    .extend('app', { scope: 'file' }, async ({ env, openApp }, { onCleanup }) => {
      const app = await openApp(env, lookup)
      onCleanup(app.close)
      return app
    })
    .extend('signInPage', { scope: 'file' }, ({ app }) => async (page: Page, caller?: Owner) => {
      const owner = caller ?? (await app.make.owner())
      const value = await createSession(scopeOf(app.services, owner.account.id))
      const url = `${app.baseUrl}/console`
      await page.context().addCookies([{ name: 'brevis_session', value, url }])
      return owner
    })
  // Starts the application in a hook, so that the time does not count for the first test.
  browser.beforeAll(({ app }) => app.listen())
  return browser
}

/** Returns a `test` for the application and `site`, another site as the destination of links. */
export function siteTest() {
  return appTest()
    .extend('openSite', { scope: 'file' }, () => openTargetSite)
    .extend('site', { scope: 'file' }, async ({ openSite }, { onCleanup }) => {
      const site = await openSite()
      onCleanup(site.close)
      return site
    })
}

/** Opens the console's drawer if the navigation is in one. */
export async function openNavigation(page: Page): Promise<void> {
  const toggle = page.getByRole('button', { name: 'Menu', exact: true })
  if (await toggle.isVisible()) await toggle.click()
}

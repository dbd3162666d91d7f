import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { LinkInput } from '../../src/links/link-input.ts'
import { type TestApp, testApp } from './app.ts'
import { openBrowser, openWatchedPage } from './browser.ts'
import { siteTest } from './browser-test.ts'
import { findPageProblems } from './inspection.ts'
import type { Owner } from './make.ts'
import type { TargetSite } from './target-site.ts'

export const BASE_URL = 'http://brev.test'

export type Setup = { app: TestApp; site: TargetSite; anna: Owner }

/** Opens a state of a page in the browser. */
export type Steps = (page: Page, setup: Setup) => Promise<unknown>

/**
 * A `test` for visitor pages of `app` and of `closed`, which does not allow registration. `watched`
 * is a browser page shared by all tests.
 */
export const pageTest = siteTest()
  .extend('makeApp', { scope: 'file' }, () => testApp)
  .extend('closed', { scope: 'file' }, async ({ makeApp }, { onCleanup }) => {
    const env = { BASE_URL: 'http://closed.test', REGISTRATION: 'closed' }
    const closed = await makeApp({ env })
    onCleanup(closed.close)
    return closed
  })
  .extend('browser', { scope: 'file' }, async ({ app, closed }, { onCleanup }) => {
    await Promise.all([app.listen(), closed.listen()])
    const browser = await openBrowser({
      'brev.test': app.port(),
      'brand.test': app.port(),
      'closed.test': closed.port(),
    })
    onCleanup(() => browser.close())
    return browser
  })
  .extend('anna', { scope: 'file', auto: true }, async ({ make }) => {
    const anna = await make.owner({ username: 'anna' })
    await make.domain(anna, { domain: 'http://brand.test' })
    return anna
  })
  .extend('setup', { scope: 'file' }, ({ app, site, anna }): Setup => ({ app, site, anna }))
  /** A page shared by all tests. */
  .extend('watched', { scope: 'file' }, async ({ browser }, { onCleanup }) => {
    const watched = await openWatchedPage(browser)
    onCleanup(() => watched.page.context().close())
    return watched
  })

/** Adds a test per page that it is accessible. Each entry opens the page with this name. */
export function testPages(states: Readonly<Record<string, Steps>>): void {
  pageTest.for(Object.entries(states))(
    '%s is accessible and logs no errors',
    async ([name, open], { setup, watched }) => {
      const { page, problems } = watched
      problems.length = 0
      await page.setExtraHTTPHeaders({})
      await open(page, setup)
      await page.waitForFunction(() => document.title !== '')
      expect((await findPageProblems(page, name)).join('\n')).toBe('')
      expect(problems).toEqual([])
    },
  )
}

/** Opens a URL with the browser set to a language, and expects a page in it. */
export async function openInLanguage(page: Page, language: string, url: string): Promise<void> {
  await page.setExtraHTTPHeaders({ 'accept-language': language })
  await page.goto(url)
  expect(await page.getAttribute('html', 'lang')).toBe(language)
}

/** Returns steps that create a link with these settings and open its short URL plus `suffix`. */
export function openLink(
  input: (setup: Setup) => Promise<Partial<LinkInput>> | Partial<LinkInput>,
  suffix = '',
): Steps {
  return async (page, setup) => {
    const { app, site, anna } = setup
    const url = `${site.origin}/t`
    const { shortUrl } = await app.make.link(anna, { url, ...(await input(setup)) })
    return page.goto(shortUrl + suffix)
  }
}

import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { LinkInput } from '../../src/links/link.ts'
import { type TestApp, testApp } from './app.ts'
import { openBrowser, openWatchedPage } from './browser.ts'
import { siteTest } from './browser-test.ts'
import { findPageProblems } from './inspection.ts'
import type { Owner } from './make.ts'
import type { TargetSite } from './target-site.ts'

export const BASE_URL = 'http://brev.test'

export type PageContext = { app: TestApp; site: TargetSite; anna: Owner }

/** Brings a browser page into the state to inspect. */
export type Steps = (page: Page, pageContext: PageContext) => Promise<unknown>

/**
 * A `test` for visitor pages of `app` and of `closedApp`, which does not allow registration. `anna`
 * owns the links of the pages. `watched` is a browser page shared by all tests.
 */
export const pageTest = siteTest()
  .extend('makeApp', { scope: 'file' }, () => testApp)
  .extend('closedApp', { scope: 'file' }, async ({ makeApp }, { onCleanup }) => {
    const env = { BASE_URL: 'http://closed.test', REGISTRATION: 'closed' }
    const closedApp = await makeApp({ env })
    onCleanup(closedApp.close)
    return closedApp
  })
  .extend('browser', { scope: 'file' }, async ({ app, closedApp }, { onCleanup }) => {
    await Promise.all([app.listen(), closedApp.listen()])
    const browser = await openBrowser({
      'brev.test': app.port(),
      'brand.test': app.port(),
      'closed.test': closedApp.port(),
    })
    onCleanup(() => browser.close())
    return browser
  })
  .extend('anna', { scope: 'file', auto: true }, async ({ make }) => {
    const anna = await make.owner({ username: 'anna' })
    await make.domain(anna, { domain: 'http://brand.test' })
    return anna
  })
  .extend(
    'pageContext',
    { scope: 'file' },
    ({ app, site, anna }): PageContext => ({ app, site, anna }),
  )
  /** A page shared by all tests. */
  .extend('watched', { scope: 'file' }, async ({ browser }, { onCleanup }) => {
    const watched = await openWatchedPage(browser)
    onCleanup(() => watched.page.context().close())
    return watched
  })

/**
 * Adds a test per entry, with its key as the name. The test runs the steps, and expects that the page
 * is accessible and that the browser reports no problems.
 */
export function testPages(states: Readonly<Record<string, Steps>>): void {
  pageTest.for(Object.entries(states))(
    '%s is accessible and logs no errors',
    async ([name, steps], { pageContext, watched }) => {
      const { page, problems } = watched
      problems.length = 0
      await page.setExtraHTTPHeaders({})
      await steps(page, pageContext)
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
  input: (pageContext: PageContext) => Promise<Partial<LinkInput>> | Partial<LinkInput>,
  suffix = '',
): Steps {
  return async (page, pageContext) => {
    const { app, site, anna } = pageContext
    const url = `${site.origin}/t`
    const { shortUrl } = await app.make.link(anna, { url, ...(await input(pageContext)) })
    return page.goto(shortUrl + suffix)
  }
}

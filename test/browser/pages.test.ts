import { expect } from 'vitest'
import { testApp } from '../support/app.ts'
import { openBrowser, watchedPage } from '../support/browser.ts'
import { siteTest } from '../support/browser-test.ts'
import { pageProblems } from '../support/inspection.ts'
import { base, pageStates, type Setup } from '../support/page-states.ts'

const test = siteTest()
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
    const watched = await watchedPage(browser)
    onCleanup(() => watched.page.context().close())
    return watched
  })

test.for(Object.entries(pageStates))(
  '%s is accessible and logs no errors',
  async ([name, open], { setup, watched }) => {
    const { page, problems } = watched
    problems.length = 0
    await page.setExtraHTTPHeaders({})
    await open(page, setup)
    await page.waitForFunction(() => document.title !== '')
    expect((await pageProblems(page, name)).join('\n')).toBe('')
    expect(problems).toEqual([])
  },
)

test.for(['/avatar/anna.svg', '/favicon.svg', '/favicon.ico'])(
  '%s is a valid image',
  async (path, { browser }) => {
    const { page, problems } = await watchedPage(browser)
    await page.goto(`${base}/register`)
    const size = await page.evaluate(async (src) => {
      const image = new Image()
      image.src = src
      await image.decode()
      return image.width
    }, path)
    expect(size).toBeGreaterThan(0)
    expect(problems).toEqual([])
    await page.context().close()
  },
)

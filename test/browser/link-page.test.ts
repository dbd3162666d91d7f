import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { phone } from '../support/browser.ts'
import type { BrowserApp } from '../support/browser-app.ts'
import { browserSetups, browserTest } from '../support/browser-test.ts'
import { findAccessibilityViolations, inspect } from '../support/inspection.ts'
import { selectFromMenu } from '../support/link-page.ts'

const test = browserTest().extend('popularLink', { scope: 'file' }, ({ app }) =>
  createPopularLink(app),
)

// Creates the clicks in a hook, so that the time does not count for the first test.
test.beforeAll(({ popularLink }) => void popularLink)

const agents = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
]
const referrers = [
  'https://news.example/',
  '',
  `https://${'very-long-label-'.repeat(3)}.${'o'.repeat(60)}.${'n'.repeat(60)}.example/`,
  'https://xn--mgbh0fb.xn--mgba3a4f16a/',
]
const networkPrefixes = ['8.8.8.', '203.0.113.', '193.99.144.', '133.11.0.']

/** Clicks a link. The number determines the visitor's IP address, device, referrer and language. */
async function visit(app: BrowserApp, alias: string, number: number) {
  await app.request({
    url: `/${alias}`,
    remoteAddress: `${networkPrefixes[number % 4]}${number % 250}`,
    headers: {
      'user-agent': agents[number % 2] ?? '',
      referer: referrers[number % 4] ?? '',
      'accept-language': number % 3 === 0 ? 'pt-BR' : 'de',
    },
  })
}

/** Creates a link with clicks over a year and awkward texts. */
async function createPopularLink(app: BrowserApp) {
  const owner = await app.make.owner()
  const link = await app.make.link(owner, {
    url: `https://example.com/${'long/'.repeat(60)}`,
    alias: 'spring-sale',
    password: null,
    tags: ['Spring', `long ${'tag '.repeat(10)}`.trim(), 'عربي'],
    metaTitle: `\u202Eevil ${'word'.repeat(40)} <b>`,
  })
  let number = 0
  const visitTimes = async (count: number) => {
    for (let visits = 0; visits < count; visits += 1) {
      number += 1
      await visit(app, link.alias, number)
    }
  }
  // Days with one to five clicks: first every eighth day, then daily.
  for (let step = 0; step < 60; step += 1) {
    await visitTimes(1 + ((step * 7) % 5))
    app.clock.advance(step < 40 ? 8 * 86_400 : 86_400)
  }
  await visitTimes(6)
  await app.importClicks()
  return { owner, path: `/console/links/${link.id}` }
}

describe.each(browserSetups)('%s', (setupName, options) => {
  test("an owner views a link's statistics, zooms in and out, and opens a full list", async ({
    app,
    signInPage,
    popularLink,
  }) => {
    await app.walk(async (page) => {
      await signInPage(page, popularLink.owner)
      await page.goto(`${app.baseUrl}${popularLink.path}`)
      await inspect(page, `link-${setupName}`, options)
      await page.getByText('View as table').click()
      const steps = page.locator('#numbers tbody a')
      expect(await steps.count()).toBe(30)
      await selectFromMenu(page, 'Compare', 'Previous period')
      await page.waitForURL('**compare=previous')
      await page.locator('.stroke.before').waitFor({ state: 'attached' })
      await selectFromMenu(page, 'Period', 'Last 12 months')
      await page.waitForURL('**period=12m**')
      await inspect(page, `link-year-${setupName}`, options)
      await page.getByText('View as table').click()
      // Selects a complete month, because the first and the last may be shorter than two weeks.
      await page.locator('#numbers tbody a').nth(1).click()
      await page.waitForURL('**from=**')
      await selectFromMenu(page, 'Interval', 'Weekly')
      await page.waitForURL('**interval=week**')
      await page.locator('#numbers th', { hasText: 'Week' }).waitFor({ state: 'attached' })
      await page.goto(`${app.baseUrl}${popularLink.path}?period=90d`)
      await inspect(page, `link-line-${setupName}`, options)
      await page.getByRole('link', { name: 'See all: Referrers' }).click()
      await page.waitForURL('**/referrers?period=90d')
      await inspect(page, `link-referrers-${setupName}`, options)
      await page.getByRole('link', { name: /^← / }).click()
      await page.waitForURL(`**${popularLink.path}?period=90d`)

      await page.getByText('Colors and size').click()
      await page.getByRole('textbox', { name: 'Foreground' }).fill('#0b6b5a')
      await page.getByLabel('Size (px)').fill('400')
      await page.getByRole('button', { name: 'Apply' }).click()
      await page.waitForURL('**foreground=%230b6b5a**')
      const png = await page.getByRole('link', { name: 'Download PNG' }).getAttribute('href')
      expect(png).toContain('size=400')
      await page.locator('.code').scrollIntoViewIfNeeded()
      await inspect(page, `link-code-${setupName}`, options)

      await page.locator('.menu summary', { hasText: 'Period' }).click()
      await page.getByLabel('Start', { exact: true }).fill('2026-01-01')
      await page.getByLabel('End', { exact: true }).fill('2026-01-31')
      await page.getByRole('button', { name: 'Apply', exact: true }).first().click()
      await page.waitForURL('**from=2026-01-01&to=2026-01-31**')
    }, options)
  })

  test('the page of a link shows no clicks, and then a single click', async ({
    app,
    signInPage,
  }) => {
    await app.walk(async (page) => {
      const owner = await app.make.owner()
      const link = await app.make.link(owner)
      await signInPage(page, owner)
      await page.goto(`${app.baseUrl}/console/links/${link.id}`)
      await page.waitForSelector('text=No clicks yet')
      await inspect(page, `link-empty-${setupName}`, options)
      await visit(app, link.alias, 1)
      await app.importClicks()
      await page.goto(`${app.baseUrl}/console/links/${link.id}?period=today`)
      expect(await page.locator('.hits > *').count()).toBe(24)
      await inspect(page, `link-one-${setupName}`, options)
    }, options)
  })
})

test('keyboard shortcuts on a link page change the period and comparison, except while typing', async ({
  app,
  signInPage,
  popularLink,
}) => {
  await app.walk(async (page) => {
    await signInPage(page, popularLink.owner)
    await page.goto(`${app.baseUrl}${popularLink.path}`)
    await page.keyboard.press('y')
    await page.waitForURL('**?period=12m')
    await page.keyboard.press('x')
    await page.waitForURL('**?period=12m&compare=previous')
    await page.keyboard.press('w')
    await page.waitForURL('**?period=7d&compare=previous')
    await page.keyboard.press('ArrowLeft')
    await page.waitForURL('**from=**')
    await page.keyboard.press('ArrowRight')
    await page.waitForURL('**?period=7d&compare=previous')
    // The browser's own shortcuts and typing in a field change nothing.
    await page.keyboard.press('Control+y')
    await page.getByText('Colors and size').click()
    await page.getByLabel('Size (px)').focus()
    await page.keyboard.press('t')
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    await page.keyboard.press('t')
    await page.waitForURL('**?period=today&compare=previous')
  })
})

test('clicking the last bar of the chart selects today', async ({
  app,
  signInPage,
  popularLink,
}) => {
  await app.walk(async (page) => {
    await signInPage(page, popularLink.owner)
    await page.goto(`${app.baseUrl}${popularLink.path}`)
    await page.locator('.hits a').last().click()
    await page.waitForURL('**?period=today')
    expect(await page.locator('.hits > *').count()).toBe(24)
  })
})

test('the chart shows the numbers of a step by pointer and by the arrow keys', async ({
  app,
  signInPage,
  popularLink,
}) => {
  await app.walk(async (page) => {
    await signInPage(page, popularLink.owner)
    await page.goto(`${app.baseUrl}${popularLink.path}`)
    const tip = page.locator('.plot .tip')
    await page.locator('.hits > *').last().hover()
    await tip.getByText(/\d clicks/).waitFor()
    await page.mouse.move(0, 0)
    await tip.waitFor({ state: 'detached' })
    await page.locator('.plot').focus()
    await page.keyboard.press('ArrowRight')
    const first = await tip.textContent()
    await page.keyboard.press('ArrowRight')
    expect(await tip.textContent()).not.toBe(first)
    await page.keyboard.press('ArrowLeft')
    expect(await tip.textContent()).toBe(first)
    expect(page.url()).toBe(`${app.baseUrl}${popularLink.path}`)
    expect(await findAccessibilityViolations(page)).toEqual([])
  })
})

test('a first tap on the chart shows a step, and a second one opens it', async ({
  app,
  signInPage,
  popularLink,
}) => {
  await app.walk(
    async (page) => {
      await signInPage(page, popularLink.owner)
      await page.goto(`${app.baseUrl}${popularLink.path}`)
      const today = page.locator('.hits a').last()
      await today.tap()
      await page.locator('.plot .tip').waitFor()
      expect(page.url()).toBe(`${app.baseUrl}${popularLink.path}`)
      await today.tap()
      await page.waitForURL('**?period=today')
    },
    { viewport: phone, hasTouch: true },
  )
})

test('the numbers of a link page update while it is visible, and open sections stay open', async ({
  app,
  signInPage,
}) => {
  await app.walk(async (page) => {
    const owner = await app.make.owner()
    const link = await app.make.link(owner)
    await signInPage(page, owner)
    await page.goto(`${app.baseUrl}/console/links/${link.id}`)
    const visitors = page.locator('[data-live-visitors]')
    await visitors.filter({ hasText: /^0$/ }).waitFor()
    await visit(app, link.alias, 1)
    await app.importClicks()
    await visitors.filter({ hasText: /^1$/ }).waitFor()
    await page.locator('.figure', { hasText: /^1$/ }).first().waitFor()
    await page.locator('#cards table').first().waitFor()
    await page.getByText('View as table').click()
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    await visit(app, link.alias, 2)
    await visit(app, link.alias, 3)
    await app.importClicks()
    await page.locator('.figure', { hasText: /^3$/ }).first().waitFor()
    await visitors.filter({ hasText: /^3$/ }).waitFor()
    expect(await page.locator('#numbers[open]').count()).toBe(1)
    // A hidden page does not update until it becomes visible.
    await setVisibility(page, 'hidden')
    await visit(app, link.alias, 4)
    await app.importClicks()
    const request = page.waitForRequest(/\/live$/)
    await setVisibility(page, 'visible')
    await request
    await page.locator('.figure', { hasText: /^4$/ }).first().waitFor()
  })
})

test('a link page shows its numbers and a notice if live updates are not available', async ({
  app,
  signInPage,
}) => {
  await app.walk(async (page) => {
    const owner = await app.make.owner()
    const link = await app.make.link(owner)
    await signInPage(page, owner)
    // Browsers do not retry an event stream with this status (HTML, "server-sent events").
    await page.route('**/live', (route) => route.fulfill({ status: 204 }))
    await page.goto(`${app.baseUrl}/console/links/${link.id}`)
    await page.getByText('Live updates are paused').waitFor()
    await page.waitForSelector('text=No clicks yet')
  })
})

/** Simulates that the browser tab becomes hidden or visible. */
async function setVisibility(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate((visibility) => {
    Object.defineProperty(document, 'hidden', {
      configurable: true,
      value: visibility === 'hidden',
    })
    document.dispatchEvent(new Event('visibilitychange'))
  }, state)
}

import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { barriers, overflows, phone, picture } from '../support/browser.ts'
import { type BrowserApp, browserApp } from '../support/browser-app.ts'

let t: BrowserApp
let busy: Awaited<ReturnType<typeof busyLink>>

beforeAll(async () => {
  t = await browserApp()
  busy = await busyLink()
})
afterAll(() => t?.close())

const looks: [string, BrowserContextOptions][] = [
  ['wide', {}],
  ['dark', { colorScheme: 'dark' }],
  ['phone', { viewport: phone }],
  ['phone without scripts', { viewport: phone, javaScriptEnabled: false }],
]

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
const networks = ['8.8.8.', '203.0.113.', '193.99.144.', '133.11.0.']

async function visit(alias: string, count: number) {
  await t.request({
    url: `/${alias}`,
    remoteAddress: `${networks[count % 4]}${count % 250}`,
    headers: {
      'user-agent': agents[count % 2] ?? '',
      referer: referrers[count % 4] ?? '',
      'accept-language': count % 3 ? 'de' : 'pt-BR',
    },
  })
}

/** A link that was clicked for a year, with texts of every kind. */
async function busyLink() {
  const owner = await t.make.owner()
  const link = await t.make.link(owner, {
    url: `https://example.com/${'long/'.repeat(60)}`,
    alias: 'spring-sale',
    password: null,
    tags: ['Spring', `long ${'tag '.repeat(10)}`.trim(), 'عربي'],
    meta: { title: `\u202Eevil ${'word'.repeat(40)} <b>` },
  })
  let count = 0
  const next = () => {
    count += 1
    return count
  }
  for (let step = 0; step < 60; step += 1) {
    for (let each = 0; each < 1 + ((step * 7) % 5); each += 1) await visit(link.alias, next())
    t.clock.advance(step < 40 ? 8 * 86_400 : 86_400)
  }
  for (let each = 0; each < 6; each += 1) await visit(link.alias, next())
  await t.importClicks()
  return { owner, link, path: `/console/links/${link.id}` }
}

async function begin(page: Page, { account }: { account: { id: number } }) {
  const value = await t.services.sessions.begin(account.id)
  await page.context().addCookies([{ name: 'brevis_session', value, url: `${t.baseUrl}/console` }])
}

/** Nothing on the page is in anybody's way. Axe is a script, so it needs one. */
async function inspect(page: Page, name: string, { javaScriptEnabled }: BrowserContextOptions) {
  expect(await page.locator('main h1').count()).toBe(1)
  await picture(page, name)
  expect([name, await overflows(page)]).toEqual([name, false])
  if (javaScriptEnabled === false) return
  expect([name, await barriers(page)]).toEqual([name, []])
}

describe.each(looks)('%s', (look, options) => {
  test('an owner looks at a link, closer, further back and at all of a list', async () => {
    await t.walk(async (page) => {
      await begin(page, busy.owner)
      await page.goto(`${t.baseUrl}${busy.path}`)
      await inspect(page, `link-${look}`, options)
      await page.getByText('The numbers').click()
      const steps = page.locator('#numbers tbody a')
      expect(await steps.count()).toBe(30)
      await page.getByRole('link', { name: 'Compare with the period before' }).click()
      await page.waitForURL('**compare=1')
      await page.locator('.stroke.before').waitFor({ state: 'attached' })
      await page.getByRole('link', { name: '12 months' }).click()
      await page.waitForURL('**period=12m**')
      await inspect(page, `link-year-${look}`, options)
      await page.getByText('The numbers').click()
      await page.locator('#numbers tbody a').last().click()
      await page.waitForURL('**from=**')
      await page
        .getByRole('link', { name: 'By week' })
        .click({ timeout: 2000 })
        .catch(() => {})
      await page.goto(`${t.baseUrl}${busy.path}?period=90d`)
      await inspect(page, `link-line-${look}`, options)
      await page.getByRole('link', { name: 'See all referrers' }).click()
      await page.waitForURL('**/referrers?period=90d')
      await inspect(page, `link-referrers-${look}`, options)
      await page.getByRole('link', { name: 'Back to the link' }).click()
      await page.waitForURL(`**${busy.path}?period=90d`)

      await page.getByRole('textbox', { name: 'Code' }).fill('#0b6b5a')
      await page.getByLabel('Pixels').fill('400')
      await page.getByRole('button', { name: 'Apply' }).click()
      await page.waitForURL('**foreground=%230b6b5a**')
      const png = await page.getByRole('link', { name: 'Download PNG' }).getAttribute('href')
      expect(png).toContain('size=400')
      await page.locator('.code').scrollIntoViewIfNeeded()
      await inspect(page, `link-code-${look}`, options)

      await page.getByText('Other days').click()
      await page.getByLabel('From', { exact: true }).fill('2026-01-01')
      await page.getByLabel('To', { exact: true }).fill('2026-01-31')
      await page.getByRole('button', { name: 'Show', exact: true }).click()
      await page.waitForURL('**from=2026-01-01&to=2026-01-31**')
    }, options)
  })

  test('an empty link and one with a single click look like something', async () => {
    await t.walk(async (page) => {
      const owner = await t.make.owner()
      const link = await t.make.link(owner)
      await begin(page, owner)
      await page.goto(`${t.baseUrl}/console/links/${link.id}`)
      await page.waitForSelector('text=Nobody has clicked this link yet')
      await inspect(page, `link-empty-${look}`, options)
      await visit(link.alias, 1)
      await t.importClicks()
      await page.goto(`${t.baseUrl}/console/links/${link.id}?period=today`)
      expect(await page.locator('.bar').count()).toBe(24)
      await inspect(page, `link-one-${look}`, options)
    }, options)
  })
})

test('letters and arrows choose, but not while somebody types', async () => {
  await t.walk(async (page) => {
    await begin(page, busy.owner)
    await page.goto(`${t.baseUrl}${busy.path}`)
    await page.keyboard.press('y')
    await page.waitForURL('**?period=12m')
    await page.keyboard.press('x')
    await page.waitForURL('**?period=12m&compare=1')
    await page.keyboard.press('w')
    await page.waitForURL('**?period=7d&compare=1')
    await page.keyboard.press('ArrowLeft')
    await page.waitForURL('**from=**')
    await page.keyboard.press('ArrowRight')
    await page.waitForURL('**?period=7d&compare=1')
    await page.keyboard.press('Control+y')
    await page.getByLabel('Pixels').focus()
    await page.keyboard.press('t')
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    await page.keyboard.press('t')
    await page.waitForURL('**?period=today&compare=1')
  })
})

test('a bar leads closer when it is clicked', async () => {
  await t.walk(async (page) => {
    await begin(page, busy.owner)
    await page.goto(`${t.baseUrl}${busy.path}`)
    await page.locator('.hits a').last().click()
    await page.waitForURL('**?period=today')
    expect(await page.locator('.bar').count()).toBe(24)
  })
})

test('figures follow while the page is looked at, and what is unfolded stays so', async () => {
  await t.walk(async (page) => {
    const owner = await t.make.owner()
    const link = await t.make.link(owner)
    await visit(link.alias, 1)
    await t.importClicks()
    await begin(page, owner)
    await page.clock.install()
    await page.goto(`${t.baseUrl}/console/links/${link.id}`)
    expect(await page.locator('#live-note').isVisible()).toBe(true)
    await page.getByText('The numbers').click()
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    await visit(link.alias, 2)
    await visit(link.alias, 3)
    await t.importClicks()
    expect(await page.locator('.figure').first().textContent()).toBe('1')
    await page.clock.runFor(15_000)
    await page.locator('.figure', { hasText: /^3$/ }).first().waitFor()
    expect(await page.locator('#numbers[open]').count()).toBe(1)
    // Somebody who is signed out meanwhile keeps what shows.
    await page.context().clearCookies()
    await visit(link.alias, 4)
    await t.importClicks()
    const asked = page.waitForResponse(/sign-in/)
    await page.clock.runFor(15_000)
    await asked
    expect(await page.locator('.figure').first().textContent()).toBe('3')
  })
})

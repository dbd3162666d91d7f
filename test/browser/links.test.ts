import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { setLinkStatus } from '../../src/links/link.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { phone, saveScreenshot } from '../support/browser.ts'
import type { BrowserApp } from '../support/browser-app.ts'
import { browserSetups, browserTest, LONG_WORD } from '../support/browser-test.ts'
import { findAccessibilityViolations, inspect } from '../support/inspection.ts'
import type { Owner } from '../support/make.ts'

const test = browserTest()

/** Creates three links: one with three clicks, which it returns, one with awkward texts, and a disabled one. */
async function createLinks(app: BrowserApp, owner: Owner, name: string) {
  const { id } = owner.account
  const clicked = await app.make.link(owner, {
    alias: `${name}-spring`,
    url: 'https://example.com/collections/spring?utm_source=newsletter',
    metaTitle: 'Spring collection',
    tags: ['Newsletter', 'Spring 2027'],
  })
  await app.make.link(owner, {
    alias: `${name}-${'long'.repeat(14)}`.slice(0, 64),
    url: `https://example.com/${'a-very-long-path/'.repeat(60)}`,
    metaTitle: '\u202e"><script>alert(1)</script> מבצע גדול',
    tags: ['x'.repeat(50), '\u202etag', 'שלום'],
    expiresAt: '2999-12-31',
  })
  const disabled = await app.make.link(owner, { alias: `${name}-autumn`, tags: ['Newsletter'] })
  await setLinkStatus(scopeOf(app.services, id), disabled.id, 'disabled')
  for (const n of [1, 2, 3]) {
    await app.request({ url: `/${clicked.alias}`, remoteAddress: `198.51.100.${n}` })
  }
  await app.importClicks()
  return clicked
}

/** Applies filters. With scripts, they apply on change and there is no button. */
async function applyFilters(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Apply' })
  if (await button.isVisible()) await button.click()
}

/** Returns the checkboxes that select links. */
const linkCheckboxes = (page: Page) => page.getByRole('checkbox', { name: /^Select brev\.test/ })

describe.each(browserSetups)('%s', (setupName, options) => {
  test('a user searches links, tags two, disables one and deletes two', async ({
    app,
    signInPage,
  }) => {
    await app.walk(async (page) => {
      const name = setupName.replaceAll(' ', '-')
      const owner = await signInPage(page)
      await page.goto(`${app.baseUrl}/console/links`)
      await inspect(page, `links-empty-${name}`, options)
      await createLinks(app, owner, name)
      await page.reload()
      expect(await linkCheckboxes(page).count()).toBe(3)
      await inspect(page, `links-${name}`, options)

      await page.getByLabel('Search links').fill('SPRING')
      await applyFilters(page)
      await page.waitForURL('**/console/links?q=SPRING**')
      await page.locator('.found', { hasText: '1 result' }).waitFor()
      expect(await linkCheckboxes(page).count()).toBe(1)
      await page.goto(`${app.baseUrl}/console/links?q=SPRING&tag=Spring+2027`)
      await page.getByLabel('Search links').fill('nothing like it')
      await applyFilters(page)
      await page.getByRole('heading', { name: 'No links match your filters' }).waitFor()
      await inspect(page, `links-nothing-${name}`, options)
      await page.getByRole('link', { name: 'Clear filters' }).first().click()
      await page.waitForURL('**/console/links')

      await linkCheckboxes(page).nth(0).check()
      await linkCheckboxes(page).nth(2).check()
      await page.locator('#change-tag').fill('Sale')
      await inspect(page, `links-picked-${name}`, options)
      await page.getByRole('button', { name: 'Add tag' }).click()
      await page.getByText('Tag added to 2 links.').waitFor()
      expect(await page.locator('.tags a', { hasText: 'Sale' }).count()).toBe(2)

      await page.locator('.row-menu summary').last().click()
      await inspect(page, `links-menu-${name}`, options)
      await page.locator('.row-menu[open]').getByRole('button', { name: 'Disable' }).click()
      await page.getByText('1 link disabled.').waitFor()

      await linkCheckboxes(page).nth(0).check()
      await linkCheckboxes(page).nth(2).check()
      await page.locator('#change').getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('heading', { name: 'Delete 2 links?' }).waitFor()
      await inspect(page, `links-delete-${name}`, options)
      await page.getByRole('button', { name: 'Delete 2 links' }).click()
      await page.getByText('2 links deleted.').waitFor()
      expect(await linkCheckboxes(page).count()).toBe(1)
    }, options)
  })
})

test('keyboard shortcuts in the list search, move, select, edit and create, except while typing', async ({
  app,
  signInPage,
}) => {
  await app.walk(async (page) => {
    const getFocusedId = () => page.evaluate(() => document.activeElement?.id)
    const owner = await signInPage(page)
    const oldestLink = await createLinks(app, owner, 'keys')
    await page.goto(`${app.baseUrl}/console/links`)
    await page.keyboard.press('/')
    expect(await getFocusedId()).toBe('q')
    await page.keyboard.type('cxj?')
    expect(await page.getByLabel('Search links').inputValue()).toBe('cxj?')
    await page.keyboard.press('Escape')
    await page.goto(`${app.baseUrl}/console/links`)
    await page.keyboard.press('k')
    expect(await getFocusedId()).toBe(`link-${oldestLink.id}`)
    await page.keyboard.press('x')
    expect(await linkCheckboxes(page).last().isChecked()).toBe(true)
    expect(await page.textContent('#picked')).toBe('1 selected')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('j')
    expect(await getFocusedId()).toBe(`link-${oldestLink.id}`)
    const menu = page.locator('tbody .row-menu').first()
    await menu.locator('summary').focus()
    await page.keyboard.press('Enter')
    const items = menu.locator('a, button')
    for (const [key, index] of [
      ['ArrowDown', 0],
      ['ArrowDown', 1],
      ['ArrowUp', 0],
    ] as const) {
      await page.keyboard.press(key)
      expect(await items.nth(index).evaluate((item) => item === document.activeElement)).toBe(true)
    }
    await page.keyboard.press('Escape')
    expect(await page.locator('.row-menu[open]').count()).toBe(0)
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    expect(await findAccessibilityViolations(page)).toEqual([])
    await saveScreenshot(page, 'links-keys')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.getByLabel('Select all on this page').check()
    expect(await page.textContent('#picked')).toBe('3 selected')
    await page.getByLabel('Select all on this page').uncheck()
    expect(await page.locator('#change').isVisible()).toBe(false)
    await page.locator(`#link-${oldestLink.id}`).focus()
    // The browser's own shortcuts do not trigger those of the page.
    await page.keyboard.press('Control+e')
    expect(page.url()).toContain('/console/links')
    await page.keyboard.press('q')
    await page.waitForURL(`**/console/links/${oldestLink.id}#code`)
    await page.goBack()
    await page.locator(`#link-${oldestLink.id}`).focus()
    await page.keyboard.press('e')
    await page.waitForURL(`**/console/links/${oldestLink.id}/edit`)
    await page.goBack()
    await page.keyboard.press('c')
    await page.waitForURL('**/console/links/new')
  })
})

test('canceling a confirmation returns to the list with its selection', async ({
  app,
  signInPage,
}) => {
  await app.walk(async (page) => {
    const owner = await signInPage(page)
    await createLinks(app, owner, 'canceled')
    await page.goto(`${app.baseUrl}/console/links`)
    await linkCheckboxes(page).nth(2).check()
    await page.locator('#change').getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete 1 link?' })
    await dialog.getByText('You can restore it from the trash for 30 days.').waitFor()
    expect(await findAccessibilityViolations(page)).toEqual([])
    await saveScreenshot(page, 'links-delete-dialog')
    await dialog.getByRole('link', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(page.url()).toBe(`${app.baseUrl}/console/links`)
    expect(await linkCheckboxes(page).nth(2).isChecked()).toBe(true)
  })
})

test('the navigation on a phone is a drawer that opens and closes without scripts', async ({
  app,
  signInPage,
}) => {
  await app.walk(
    async (page) => {
      await signInPage(page)
      await page.goto(`${app.baseUrl}/console/account`)
      const header = await page.locator('.top').boundingBox()
      expect(header?.height).toBeLessThan(70)
      expect(await page.getByRole('navigation').count()).toBe(0)
      await page.getByRole('button', { name: 'Menu', exact: true }).click()
      await saveScreenshot(page, 'menu-phone')
      await page.getByRole('button', { name: 'Close menu' }).click()
      await page.getByRole('navigation').waitFor({ state: 'hidden' })
      await page.getByRole('button', { name: 'Menu', exact: true }).click()
      await page.getByRole('link', { name: 'Webhooks' }).click()
      await page.waitForURL('**/console/webhooks')
    },
    { viewport: phone, javaScriptEnabled: false },
  )
})

test('`?` lists the shortcuts of a page, and `c` opens the form of a new link', async ({
  app,
  signInPage,
}) => {
  await app.walk(async (page) => {
    const owner = await signInPage(page)
    const { id } = await app.make.link(owner)
    for (const path of [`/console/links/${id}`, '/console/keys']) {
      await page.goto(app.baseUrl + path)
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
      await page.keyboard.press('Escape')
      await page.keyboard.press('c')
      await page.waitForURL('**/console/links/new')
    }
  })
})

test('the Share button passes the short URL to the browser’s share dialog', async ({
  app,
  signInPage,
}) => {
  await app.walk(async (page) => {
    const owner = await signInPage(page)
    const { id, shortUrl } = await app.make.link(owner)
    // Simulates a browser that supports sharing.
    await page.addInitScript(() => {
      Object.assign(navigator, {
        share: (data: ShareData) => {
          document.title = String(data.url)
          return Promise.resolve()
        },
      })
    })
    await page.goto(`${app.baseUrl}/console/links/${id}`)
    await page.locator('.link-head .row-menu summary').first().click()
    await page.getByRole('button', { name: 'Share' }).click()
    await page.waitForFunction((url) => document.title === url, shortUrl)
  })
})

test('twelve links fit on a desktop screen and five on a phone, and filters apply on change', async ({
  app,
  signInPage,
}) => {
  await app.walk(async (page) => {
    const owner = await signInPage(page)
    for (let n = 0; n < 30; n += 1) {
      await app.make.link(owner, {
        alias: `fits-${n}`,
        metaTitle: `Offer ${n} ${LONG_WORD}`,
        tags: ['One', 'Another tag', `Tag ${n % 3}`],
        url: `https://${'a-long-subdomain.'.repeat(n % 5)}example.com/${n}`,
        // The expiration is a second line in the status.
        ...(n % 3 === 0 && { expiresAt: '2999-12-31' }),
      })
    }
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.goto(`${app.baseUrl}/console/links`)
    await saveScreenshot(page, 'links-dense')
    const rows = page.locator('[data-list] tbody tr')
    const countRowsWithin = (height: number) =>
      rows.evaluateAll(
        (elements, bottom) =>
          elements.filter((row) => row.getBoundingClientRect().bottom <= bottom).length,
        height,
      )
    const heights = await rows.evaluateAll((elements) => elements.map((row) => row.clientHeight))
    expect(Math.max(...heights)).toBeLessThanOrEqual(56)
    expect(await countRowsWithin(900)).toBeGreaterThanOrEqual(12)
    await page.locator('.filters summary').click()
    await page.locator('#tag').selectOption('Tag 1')
    await page.locator('.found', { hasText: '10 results' }).waitFor()
    expect(page.url()).toContain('?tag=Tag+1')
    await page.getByLabel('Search links').fill('fits-1')
    await page.locator('.found', { hasText: '5 results' }).waitFor()
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('q')
    await rows.first().locator('[data-main]').click()
    await page.waitForURL(/links\/\d+$/)
    await page.goBack()
    await page.locator('.found', { hasText: '5 results' }).waitFor()
    expect(await page.getByLabel('Search links').inputValue()).toBe('fits-1')
    await page.setViewportSize(phone)
    await page.goto(`${app.baseUrl}/console/links`)
    await saveScreenshot(page, 'links-dense-phone')
    expect(await countRowsWithin(phone.height)).toBeGreaterThanOrEqual(5)
  })
})

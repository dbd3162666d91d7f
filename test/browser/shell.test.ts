import { describe, expect } from 'vitest'
import { phone, saveScreenshot } from '../support/browser.ts'
import { browserTest, LONG_WORD } from '../support/browser-test.ts'
import { findAccessibilityViolations, findPageProblems } from '../support/inspection.ts'

const test = browserTest()

describe('the search of the console', () => {
  test('opens with Ctrl-K, finds links and pages, and opens them from the keyboard', async ({
    app,
    signInPage,
  }) => {
    await app.walk(async (page) => {
      const owner = await signInPage(page)
      const link = await app.make.link(owner, {
        alias: 'spring-sale',
        metaTitle: `Spring <b>sale</b> ${LONG_WORD}`,
      })
      await page.goto(`${app.baseUrl}/console/account`)
      await page.keyboard.press('Control+k')
      const dialog = page.getByRole('dialog', { name: 'Search links and pages' })
      await dialog.getByRole('link', { name: 'Campaigns' }).waitFor()
      expect(await findAccessibilityViolations(page)).toEqual([])
      await page.keyboard.type('spring')
      await dialog.getByRole('link', { name: 'Campaigns' }).waitFor({ state: 'detached' })
      await dialog.getByRole('link', { name: 'brev.test/spring-sale' }).waitFor()
      await saveScreenshot(page, 'search-dialog')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.waitForURL(`**/console/links/${link.id}`)
      await page.keyboard.press('Control+k')
      await dialog.waitFor()
      await dialog.getByRole('button', { name: 'Disable' }).waitFor()
      expect(await findAccessibilityViolations(page)).toEqual([])
      await saveScreenshot(page, 'search-actions')
      await page.keyboard.type('disa')
      await dialog.getByRole('link', { name: 'Download QR code' }).waitFor({ state: 'detached' })
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.getByText('Link disabled').waitFor()
      await page.keyboard.press('Control+k')
      await dialog.getByRole('button', { name: 'Enable' }).waitFor()
      await page.keyboard.type('webh')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/console/webhooks')
      await page.keyboard.press('Control+k')
      await dialog.waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
    })
  })

  test('is a separate page without scripts', async ({ app, signInPage }) => {
    await app.walk(
      async (page) => {
        const owner = await signInPage(page)
        await app.make.link(owner, { alias: 'autumn-sale' })
        await page.goto(`${app.baseUrl}/console`)
        await page.locator('.top').getByRole('link', { name: 'Search' }).click()
        await page.getByLabel('Search links and pages').fill('autumn')
        await page.getByRole('button', { name: 'Search' }).click()
        await page.getByRole('link', { name: 'brev.test/autumn-sale' }).waitFor()
        await page.getByLabel('Search links and pages').fill('nothing like it')
        await page.getByRole('button', { name: 'Search' }).click()
        await page.getByText('No results').waitFor()
      },
      { viewport: phone, javaScriptEnabled: false },
    )
  })

  test('shows no links of other accounts', async ({ app, signInPage }) => {
    await app.walk(async (page) => {
      await app.make.link(await app.make.owner(), { alias: 'winter-sale' })
      await signInPage(page)
      await page.goto(`${app.baseUrl}/console/search?q=winter`)
      await page.getByText('No results').waitFor()
    })
  })
})

test('the selected theme applies to all pages and overrides the color scheme of the system', async ({
  app,
  signInPage,
}) => {
  await app.walk(async (page) => {
    await signInPage(page)
    await page.goto(`${app.baseUrl}/console/links?q=x`)
    const readBackground = () =>
      page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const light = await readBackground()
    const selectTheme = async (name: string) => {
      await page.getByRole('button', { name: 'User menu' }).click()
      await page.getByRole('button', { name, exact: true }).click()
      await page.waitForURL('**/console/links?q=x')
    }
    await selectTheme('Dark')
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark')
    expect(await readBackground()).not.toBe(light)
    expect(await findAccessibilityViolations(page)).toEqual([])
    await page.goto(`${app.baseUrl}/console`)
    expect(await readBackground()).not.toBe(light)
    expect(await findPageProblems(page, 'console-dark-theme')).toEqual([])
    await page.goto(`${app.baseUrl}/console/links?q=x`)
    await page.emulateMedia({ colorScheme: 'dark' })
    await selectTheme('Light')
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'light')
    expect(await readBackground()).toBe(light)
    await selectTheme('System')
    await page.waitForFunction(() => document.documentElement.dataset.theme === undefined)
    expect(await readBackground()).not.toBe(light)
  })
})

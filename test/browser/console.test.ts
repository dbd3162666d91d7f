import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import type { BrowserApp } from '../support/browser-app.ts'
import { browserSetups, browserTest, openNavigation } from '../support/browser-test.ts'
import { PASSWORD } from '../support/console.ts'
import { inspect } from '../support/inspection.ts'

const test = browserTest()

/** Creates an account and signs in through the form. */
async function signIn(app: BrowserApp, page: Page) {
  const owner = await app.make.owner()
  await page.goto(`${app.baseUrl}/console`)
  await page.getByLabel('Email').fill(owner.account.email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/console')
  return owner
}

describe.each(browserSetups)('%s', (setupName, options) => {
  test('a user signs in, creates a link, sees clicks, creates and revokes a key, and signs out', async ({
    app,
  }) => {
    await app.walk(async (page) => {
      await page.goto(`${app.baseUrl}/console`)
      await inspect(page, `console-sign-in-${setupName}`, options)
      await page.getByLabel('Email').fill('unknown@example.com')
      await page.getByLabel('Password').fill('not this one')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForSelector('#password-error')
      await inspect(page, `console-sign-in-wrong-${setupName}`, options)
      expect(await page.getByLabel('Email').inputValue()).toBe('unknown@example.com')
      await signIn(app, page)
      await inspect(page, `console-empty-${setupName}`, options)

      await page
        .getByLabel('Destination URL', { exact: true })
        .fill(`https://example.com/${'long/'.repeat(40)}`)
      await page.getByText('Choose an alias').click()
      await page.getByLabel('Alias').fill('not valid!')
      await page.getByRole('main').getByRole('button', { name: 'Create link' }).click()
      await page.waitForSelector('#alias-error')
      await inspect(page, `console-wrong-${setupName}`, options)
      const alias = `created-${setupName.replaceAll(' ', '-')}`
      await page.getByLabel('Alias').fill(alias)
      await page.getByRole('main').getByRole('button', { name: 'Create link' }).click()
      await page.waitForSelector('#made')
      expect(await page.textContent('#made')).toBe(`brev.test/${alias}`)

      for (const day of [1, 2, 3]) {
        await app.request({ url: `/${alias}`, remoteAddress: `198.51.100.${day}` })
      }
      await app.importClicks()
      await page.reload()
      await page.getByText('View as table').click()
      await inspect(page, `console-overview-${setupName}`, options)

      await openNavigation(page)
      await inspect(page, `console-navigation-${setupName}`, options)
      await page.getByRole('link', { name: 'API keys' }).click()
      await page.getByLabel('Name').fill('Shop')
      expect(await page.getByLabel('Current password').isVisible()).toBe(false)
      await page.getByRole('radio', { name: 'Full' }).check()
      await page.getByLabel('Current password').fill('not this one')
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.waitForSelector('#currentPassword-error')
      await inspect(page, `console-key-wrong-${setupName}`, options)
      await page.getByRole('radio', { name: 'Create' }).check()
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.waitForSelector('#key')
      await inspect(page, `console-new-key-${setupName}`, options)
      for (const recipe of await page.locator('.recipes summary').all()) await recipe.click()
      await inspect(page, `console-recipes-${setupName}`, options)
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download brevis.sxcu' }).click(),
      ])
      expect(download.suggestedFilename()).toBe('brevis.sxcu')
      const key = await page.textContent('#key')
      const headers = { authorization: `Bearer ${key}` }
      const payload = { url: 'https://example.com/' }
      const createLink = { method: 'POST', url: '/api/url/add', headers, payload } as const
      expect((await app.request(createLink)).statusCode).toBe(200)
      await page.getByRole('link', { name: 'Done' }).click()
      await page.getByRole('button', { name: 'Revoke Shop' }).click()
      await inspect(page, `console-keys-${setupName}`, options)
      await page.getByRole('button', { name: 'Revoke key' }).locator('visible=true').click()
      await page.waitForSelector('text=revoked on')
      expect((await app.request(createLink)).statusCode).toBe(401)

      await openNavigation(page)
      await page.getByRole('button', { name: 'User menu' }).click()
      await inspect(page, `console-user-menu-${setupName}`, options)
      await page.getByRole('button', { name: 'Sign out' }).first().click()
      await page.waitForURL('**/console/sign-in')
    }, options)
  })
})

test('pages focus their first field or an invalid one, and the skip link focuses the content', async ({
  app,
  signInPage,
}) => {
  const waitForFocus = (page: Page, elementId: string) =>
    page.waitForFunction((id) => document.activeElement?.id === id, elementId)
  await app.walk(async (page) => {
    await page.goto(`${app.baseUrl}/console/sign-in`)
    await waitForFocus(page, 'email')
    await signInPage(page)
    await page.goto(`${app.baseUrl}/console`)
    await waitForFocus(page, 'url')
    await page.getByLabel('Destination URL', { exact: true }).fill('not a URL')
    await page.keyboard.press('Enter')
    await page.waitForSelector('#url-error')
    await waitForFocus(page, 'url')
    // The skip link jumps over the navigation.
    await page.locator('.skip').focus()
    await page.keyboard.press('Enter')
    await waitForFocus(page, 'main')
  })
})

test('the Copy button selects the short link on pages without https', async ({
  app,
  signInPage,
}) => {
  await app.walk(async (page) => {
    await signInPage(page)
    await page.goto(`${app.baseUrl}/console`)
    await page.getByLabel('Destination URL', { exact: true }).fill('https://example.com/')
    await page.getByRole('main').getByRole('button', { name: 'Create link' }).click()
    const shortLink = await page.textContent('#made')
    await page.getByRole('button', { name: 'Copy' }).first().click()
    expect(await page.evaluate(() => String(getSelection()))).toBe(`http://${shortLink}`)
    expect(await page.getByRole('status').textContent()).toContain('selected')
    // The message disappears after a while.
    await page.waitForFunction(() => document.getElementById('said')?.textContent === '')
    expect(await page.getByRole('button', { name: 'Copy' }).first().textContent()).toBe('Copy link')
  })
})

test('a link is created without scripts, and no Copy button is shown', async ({
  app,
  signInPage,
}) => {
  await app.walk(
    async (page) => {
      await signInPage(page)
      await page.goto(`${app.baseUrl}/console`)
      await page.getByLabel('Destination URL', { exact: true }).fill('https://example.com/')
      await page.getByRole('main').getByRole('button', { name: 'Create link' }).click()
      await page.waitForSelector('#made')
      expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0)
    },
    { javaScriptEnabled: false },
  )
})

import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { getLinkWithParts } from '../../src/links/link.service.ts'
import { findByShortLink, listLinks } from '../../src/links/link-list.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { phone } from '../support/browser.ts'
import { browserSetups, browserTest } from '../support/browser-test.ts'
import { inspect } from '../support/inspection.ts'

const test = browserTest()

/** Expands a group of fields. */
const openGroup = (page: Page, group: string) =>
  page.locator('.group > summary', { hasText: group }).click()

describe.each(browserSetups)('%s', (setupName, options) => {
  const hasScripts = options.javaScriptEnabled !== false
  const alias = `created-${setupName.replaceAll(' ', '-')}`

  test('a user creates a link with all fields, changes it and removes its password', async ({
    app,
    signInPage,
  }) => {
    await app.walk(async (page) => {
      const owner = await signInPage(page)
      await app.make.domain(owner, { domain: `https://${alias}.test` })
      await app.make.pixel(owner, { name: 'Shop’s pixel' })
      await app.make.splash(owner, { name: 'A page of ours' })
      await app.make.overlay(owner, { name: 'Summer sale' })
      await app.make.link(owner, { tags: ['Spring'] })
      const longUrl = `https://example.com/${'long/'.repeat(40)}`
      await page.goto(`${app.baseUrl}/console/links/new?url=${encodeURIComponent(longUrl)}`)
      expect(await page.getByLabel('Destination URL', { exact: true }).inputValue()).toBe(longUrl)
      await inspect(page, `edit-new-${setupName}`, options)

      await page.getByLabel('Alias').fill('not valid!')
      if (hasScripts) await page.waitForSelector('[data-state=wrong]')
      await page.getByLabel('Tags', { exact: true }).fill('New, ')
      if (hasScripts) {
        await page.getByLabel('Tags', { exact: true }).fill('Spring')
        expect(await page.locator('.chips li > span').allTextContents()).toEqual(['New', 'Spring'])
        await page.getByRole('button', { name: 'Remove tag Spring' }).click()
      }
      await openGroup(page, 'Targeting')
      await page.getByRole('button', { name: 'Add rule' }).click()
      await page.getByLabel('Country', { exact: true }).fill('Germany')
      await page.getByLabel('Destination URL for this rule').fill('example.com/de')
      await page.getByLabel('First condition of the new rule').selectOption('Device')
      await page.getByRole('button', { name: 'Add rule' }).click()
      await page.getByLabel('Device', { exact: true }).selectOption('All phones')
      await page
        .getByLabel('Destination URL for this rule')
        .nth(1)
        .fill('https://example.com/phone')
      await page.getByLabel('First condition of the new rule').selectOption('Country')
      await page.getByRole('button', { name: 'Add rule' }).click()
      await page.locator('#rule-2-country').fill('Atlantis')
      await page.locator('#rule-2-to').fill('https://example.com/at')
      await openGroup(page, 'UTM and parameters')
      await page.getByLabel('Parameter 1', { exact: true }).fill('utm_source')
      await page.getByLabel('Value 1', { exact: true }).fill('poster')
      await openGroup(page, 'Expiration')
      await page.getByLabel('Expires on').fill('2031-05-04')
      await page.getByLabel('Expires at').fill('10:30')
      await openGroup(page, 'Appearance')
      await page.getByLabel('Redirect type').selectOption('A page of ours')
      await page.getByLabel('Title', { exact: true }).fill('Our spring')
      await page.getByLabel('Description').fill('Everything for the garden.')
      await page.getByLabel('Image URL').fill('https://example.com/spring.png')
      await page.getByLabel('Shop’s pixel').check()
      if (hasScripts) {
        expect(await page.locator('.card-title').textContent()).toBe('Our spring')
        expect(await page.locator('.card-picture').textContent()).toBe('Image from example.com')
      }
      await page.getByRole('main').getByRole('button', { name: 'Create link' }).click()
      await page.waitForSelector('#alias-error')
      await page.waitForSelector('#alias:focus')
      await page.getByLabel('Alias').fill(alias)
      if (hasScripts) await page.waitForSelector('[data-state=free]')
      await page.getByRole('main').getByRole('button', { name: 'Create link' }).click()
      await page.waitForSelector('#rule-2-country-error')
      await inspect(page, `edit-wrong-${setupName}`, options)
      await page.locator('#rule-2-country').fill('Austria')
      if (hasScripts) await page.keyboard.press('Control+s')
      else await page.getByRole('main').getByRole('button', { name: 'Create link' }).click()
      await page.waitForURL(/links\/\d+$/)

      const newestLink = { order: 'date', limit: 1, offset: 0 } as const
      const { entries } = await listLinks(scopeOf(app.services, owner.account.id), newestLink)
      const id = entries[0]?.id ?? 0
      const stored = () => getLinkWithParts(scopeOf(app.services, owner.account.id), id)
      expect(await stored()).toMatchObject({
        alias,
        url: longUrl,
        expiresAt: new Date('2031-05-04T10:30:00Z'),
        geoTargets: [{ location: 'DE' }, { location: 'AT' }],
        deviceTargets: [{ device: 'mobile' }],
        parameters: [{ name: 'utm_source', value: 'poster' }],
        type: expect.stringMatching(/^\d+$/),
        metaTitle: 'Our spring',
        metaImage: 'https://example.com/spring.png',
      })

      await page.goto(`${app.baseUrl}/console/links/${id}/edit`)
      await inspect(page, `edit-full-${setupName}`, options)
      await page.getByRole('button', { name: 'Remove: Rule 1' }).click()
      await page.getByLabel('Expires on').fill('')
      await page.getByLabel('Expires at').fill('')
      await openGroup(page, 'Password protection')
      await page.getByLabel('Password').fill('open sesame')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.waitForURL(/links\/\d+$/)
      expect(await stored()).toMatchObject({
        expiresAt: null,
        geoTargets: [{ location: 'AT' }],
        hasPassword: true,
      })
      await page.goto(`${app.baseUrl}/console/links/${id}/edit`)
      await page.getByLabel('Remove password').check()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.waitForURL(/links\/\d+$/)
      expect((await stored()).hasPassword).toBe(false)
    }, options)
  })
})

describe.each(browserSetups)('%s', (setupName, options) => {
  test('"More options" on the overview opens the form with the entered values', async ({
    app,
    signInPage,
  }) => {
    await app.walk(async (page) => {
      const { account } = await signInPage(page)
      const url = 'https://example.com/?a=1&b="2"'
      const alias = `carried-${setupName.replaceAll(' ', '-')}`
      await page.goto(`${app.baseUrl}/console`)
      await page.getByLabel('Destination URL', { exact: true }).fill(url)
      await page.getByText('Choose an alias').click()
      await page.getByLabel('Alias').fill(alias)
      await page.getByRole('button', { name: 'More options' }).click()
      await page.waitForURL('**/console/links/new')
      expect(await page.getByLabel('Destination URL', { exact: true }).inputValue()).toBe(url)
      expect(await page.getByLabel('Alias').inputValue()).toBe(alias)
      await page.getByRole('main').getByRole('button', { name: 'Create link' }).click()
      await page.waitForURL(/links\/\d+$/)
      const link = await findByShortLink(
        scopeOf(app.services, account.id),
        `${app.baseUrl}/${alias}`,
      )
      expect(link?.url).toBe('https://example.com/?a=1&b=%222%22')
    }, options)
  })
})

test('the link form asks before leaving with unsaved changes', async ({ app, signInPage }) => {
  await app.walk(async (page) => {
    await signInPage(page)
    await page.goto(`${app.baseUrl}/console/links/new`)
    await page.getByLabel('Alias').fill('unsaved')
    // Removes the handler of `openWatchedPage`, which reports dialogs as problems.
    page.removeAllListeners('dialog')
    const dialogType = new Promise<string>((resolve) => {
      page.once('dialog', (dialog) => {
        resolve(dialog.type())
        void dialog.dismiss()
      })
    })
    await page.getByRole('link', { name: 'Cancel' }).click({ noWaitAfter: true })
    expect(await dialogType).toBe('beforeunload')
    expect(await page.getByLabel('Alias').inputValue()).toBe('unsaved')
  })
})

test('the link form is accessible and fits a phone with malicious and long texts', async ({
  app,
  signInPage,
}) => {
  await app.walk(
    async (page) => {
      const owner = await signInPage(page)
      const hostileText = `"><img src=x onerror=alert(1)>\u202e${'x'.repeat(180)}`
      await app.make.pixel(owner, { name: hostileText.slice(0, 190) })
      await app.make.splash(owner, { name: hostileText.slice(0, 190) })
      const { id } = await app.make.link(owner, {
        alias: 'أ'.repeat(64),
        url: `https://example.com/${'y'.repeat(8000)}`,
        parameters: [{ name: hostileText, value: hostileText }],
        metaTitle: hostileText,
        metaDescription: hostileText,
      })
      await page.goto(`${app.baseUrl}/console/links/${id}/edit`)
      await inspect(page, 'edit-hostile')
    },
    { viewport: phone },
  )
})

import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { describe, expect } from 'vitest'
import { browserTest } from '../support/browser-test.ts'
import type { Make, Owner } from '../support/make.ts'
import { startWorker } from '../support/uploads.ts'

/** The maximum number of pages that an everyday task opens after the overview. */
const MAX_PAGES = 3

const test = browserTest().extend('runTask', ({ app, signInPage }) => {
  /** Runs a task from the overview of a new account. Expects at most `MAX_PAGES` opened pages. */
  return async (
    task: (page: Page) => Promise<void>,
    prepare?: (owner: Owner) => Promise<unknown>,
  ) => {
    await app.walk(async (page) => {
      page.setDefaultTimeout(60_000)
      const owner = await signInPage(page)
      await prepare?.(owner)
      await page.goto(`${app.baseUrl}/console`)
      const opened: string[] = []
      page.on('framenavigated', (frame) => {
        const { pathname } = new URL(frame.url())
        if (frame === page.mainFrame() && opened.at(-1) !== pathname) opened.push(pathname)
      })
      await task(page)
      expect(opened.length, opened.join(', ')).toBeLessThanOrEqual(MAX_PAGES)
    })
  }
})

async function createPicture(format: 'png' | 'jpeg') {
  const create = { width: 300, height: 300, channels: 3 as const, background: '#7a1fa2' }
  const buffer = await sharp({ create }).toFormat(format).toBuffer()
  return { name: `picture.${format}`, mimeType: `image/${format}`, buffer }
}

const openSection = (page: Page, name: string) =>
  page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
const clickButton = (page: Page, name: string) =>
  page.getByRole('main').getByRole('button', { name, exact: true }).last().click()
const fillField = (page: Page, label: string, text: string) =>
  page.getByLabel(label, { exact: true }).fill(text)
const waitForToast = (page: Page, text: string) => page.locator('#toast').getByText(text).waitFor()

function createLinks(make: Make, owner: Owner, count: number) {
  const urls = Array.from({ length: count }, (_, index) => `https://example.com/offer-${index}`)
  return Promise.all(urls.map((url) => make.link(owner, { url })))
}

describe('a new user opens few pages, and', () => {
  test('creates a link with UTM parameters', async ({ app, runTask }) => {
    await runTask(async (page) => {
      await page.getByRole('link', { name: 'Create link' }).first().click()
      await fillField(page, 'Destination URL', `${app.site.origin}/spring`)
      await page.locator('#group-parameters > summary').click()
      await fillField(page, 'Source', 'newsletter')
      await fillField(page, 'Medium', 'email')
      await clickButton(page, 'Create link')
      await page.getByText('utm_source=newsletter').first().waitFor()
    })
  })

  test('creates a first link and sees its first click', async ({ app, runTask }) => {
    await runTask(async (page) => {
      await fillField(page, 'Destination URL', `${app.site.origin}/first`)
      await clickButton(page, 'Create link')
      await page.getByRole('heading', { name: 'First steps' }).waitFor()
      const alias = (await page.locator('#made').textContent())?.split('/').at(-1)
      await app.request({
        url: `/${alias}`,
        headers: { 'user-agent': 'Mozilla/5.0 Firefox/140.0' },
      })
      await app.importClicks()
      // As when the user returns from the tab with the link.
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
      await page.locator('.figure', { hasText: /^1$/ }).waitFor()
      expect(await page.getByRole('heading', { name: 'First steps' }).count()).toBe(0)
    })
  })

  test('finds one of 200 links and changes it', async ({ app, runTask }) => {
    const { make } = app
    await runTask(
      async (page) => {
        await openSection(page, 'Links')
        await page.getByLabel('Search links').fill('offer-137')
        await page.locator('.found', { hasText: '1 result' }).waitFor()
        await page.locator('tbody .row-menu summary').click()
        await page.locator('.row-menu[open]').getByRole('link', { name: 'Edit' }).click()
        await fillField(page, 'Destination URL', 'https://example.com/changed')
        await clickButton(page, 'Save')
        await waitForToast(page, 'Link saved')
      },
      (owner) => createLinks(make, owner, 200),
    )
  })

  test('tags 20 links', async ({ app, runTask }) => {
    const { make } = app
    await runTask(
      async (page) => {
        await openSection(page, 'Links')
        await page.getByLabel('Select all on this page').check()
        await page.locator('#change-tag').fill('Spring')
        await clickButton(page, 'Add tag')
        await page.getByText('Tag added to 20 links.').waitFor()
      },
      (owner) => createLinks(make, owner, 20),
    )
  })

  test('creates a QR code with a logo and downloads the SVG', async ({ runTask }) => {
    await runTask(async (page) => {
      await openSection(page, 'QR codes')
      await page.getByRole('link', { name: 'New QR code' }).click()
      await fillField(page, 'Destination URL', 'https://example.com/menu')
      await page.getByLabel('Logo', { exact: true }).setInputFiles(await createPicture('png'))
      await fillField(page, 'Name', 'Menu')
      await clickButton(page, 'Save')
      const download = page.waitForEvent('download')
      await page.getByRole('link', { name: 'SVG' }).click()
      expect((await download).suggestedFilename()).toMatch(/\.svg$/)
    })
  })

  test('creates a campaign with a rotator', async ({ app, runTask }) => {
    const { make } = app
    await runTask(
      async (page) => {
        await openSection(page, 'Campaigns')
        await page.getByRole('link', { name: 'New campaign' }).first().click()
        await fillField(page, 'Name', 'Spring')
        await fillField(page, 'Rotator slug', 'spring-offers')
        await clickButton(page, 'Save')
        await fillField(page, 'Find links to add', 'in-rot')
        await page.getByRole('checkbox', { name: 'Select brev.test/in-rotation' }).check()
        await clickButton(page, 'Add selected')
        await page.getByText('/r/spring-offers').first().waitFor()
        await page.getByRole('table').getByRole('link', { name: 'in-rotation' }).waitFor()
      },
      (owner) => make.link(owner, { alias: 'in-rotation' }),
    )
  })

  test('creates a bio page with a picture', async ({ runTask }) => {
    await runTask(async (page) => {
      await openSection(page, 'Bio pages')
      await page.getByRole('link', { name: 'New bio page' }).first().click()
      await fillField(page, 'Title', 'Anna')
      await fillField(page, 'Alias', 'anna-of-tasks')
      await page.getByLabel('Picture', { exact: true }).setInputFiles(await createPicture('jpeg'))
      await fillField(page, 'Title of link 1', 'Shop')
      await fillField(page, 'URL of link 1', 'https://example.com/')
      await clickButton(page, 'Save')
      await waitForToast(page, 'Created')
    })
  })

  test('adds a domain', async ({ runTask }) => {
    await runTask(async (page) => {
      await openSection(page, 'Domains')
      await page.getByRole('link', { name: 'New domain' }).first().click()
      await fillField(page, 'Domain', 'tasks.test')
      await clickButton(page, 'Save')
      await waitForToast(page, 'Created')
    })
  })

  test('imports a file from Bitly', async ({ app, runTask }) => {
    const worker = startWorker(app)
    const rows = [
      'title,link,long_url,created_at,tags',
      'Menu,bit.ly/3MenuX,https://example.com/menu,2025-03-01T12:00:00+0000,print',
    ]
    const file = { name: 'bitly.csv', mimeType: 'text/csv', buffer: Buffer.from(rows.join('\n')) }
    await runTask(async (page) => {
      await openSection(page, 'Import & export')
      await page.locator('input[type=file]').setInputFiles(file)
      await clickButton(page, 'Upload and review')
      await page.getByText('Queued').waitFor()
      await worker.drain()
      await clickButton(page, 'Import')
      await page.getByText('Queued').waitFor()
      await worker.drain()
      await page.getByText('Import finished.').waitFor()
      await openSection(page, 'Links')
      await page.getByText('brev.test/3MenuX').first().waitFor()
    })
  })
})

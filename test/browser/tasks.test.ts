import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { describe, expect } from 'vitest'
import { openDatabase } from '../../src/db/pool.ts'
import { createImportWorker } from '../../src/transfer/import-worker.ts'
import { browserTest } from '../support/browser-test.ts'
import type { Make, Owner } from '../support/make.ts'

/** Everyday tasks must take at most three pages after the overview. */

const MAX_PAGES = 3

const test = browserTest().extend('from', ({ app, signInPage }) => {
  /** Runs a task from the overview of a new account, and limits the number of pages it opens. */
  return async (
    task: (page: Page) => Promise<void>,
    prepare?: (owner: Owner) => Promise<unknown>,
  ) => {
    await app.walk(async (page) => {
      page.setDefaultTimeout(8000)
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

async function picture(format: 'png' | 'jpeg') {
  const create = { width: 300, height: 300, channels: 3 as const, background: '#7a1fa2' }
  const buffer = await sharp({ create }).toFormat(format).toBuffer()
  return { name: `picture.${format}`, mimeType: `image/${format}`, buffer }
}

const section = (page: Page, name: string) =>
  page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
const press = (page: Page, name: string) =>
  page.getByRole('main').getByRole('button', { name, exact: true }).last().click()
const fill = (page: Page, label: string, text: string) =>
  page.getByLabel(label, { exact: true }).fill(text)
const toast = (page: Page, text: string) => page.locator('#toast').getByText(text).waitFor()

function manyLinks(make: Make, owner: Owner, count: number) {
  const urls = Array.from({ length: count }, (_, index) => `https://example.com/offer-${index}`)
  return Promise.all(urls.map((url) => make.link(owner, { url })))
}

describe('a new user', () => {
  test('creates a link with UTM parameters', async ({ app, from }) => {
    await from(async (page) => {
      await page.getByRole('link', { name: 'Create link' }).first().click()
      await fill(page, 'Destination URL', `${app.site.origin}/spring`)
      await page.locator('#group-parameters > summary').click()
      await fill(page, 'Source', 'newsletter')
      await fill(page, 'Medium', 'email')
      await press(page, 'Create link')
      await page.getByText('utm_source=newsletter').first().waitFor()
    })
  })

  test('finds one of 200 links and changes it', async ({ app, from }) => {
    const { make } = app
    await from(
      async (page) => {
        await section(page, 'Links')
        await page.getByLabel('Search links').fill('offer-137')
        await page.locator('.found', { hasText: '1 result' }).waitFor()
        await page.locator('.row-menu summary').click()
        await page.locator('.row-menu[open]').getByRole('link', { name: 'Edit' }).click()
        await fill(page, 'Destination URL', 'https://example.com/changed')
        await press(page, 'Save')
        await toast(page, 'Link saved')
      },
      (owner) => manyLinks(make, owner, 200),
    )
  })

  test('tags 20 links', async ({ app, from }) => {
    const { make } = app
    await from(
      async (page) => {
        await section(page, 'Links')
        await page.getByLabel('Select all on this page').check()
        await page.locator('#change-tag').fill('Spring')
        await press(page, 'Add tag')
        await page.getByText('Tag added to 20 links.').waitFor()
      },
      (owner) => manyLinks(make, owner, 20),
    )
  })

  test('creates a QR code with a logo and downloads the SVG', async ({ from }) => {
    await from(async (page) => {
      await section(page, 'QR codes')
      await page.getByRole('link', { name: 'New QR code' }).click()
      await fill(page, 'Destination URL', 'https://example.com/menu')
      await page.getByLabel('Logo', { exact: true }).setInputFiles(await picture('png'))
      await fill(page, 'Name', 'Menu')
      await press(page, 'Save')
      const download = page.waitForEvent('download')
      await page.getByRole('link', { name: 'SVG' }).click()
      expect((await download).suggestedFilename()).toMatch(/\.svg$/)
    })
  })

  test('creates a campaign with a rotator', async ({ app, from }) => {
    const { make } = app
    await from(
      async (page) => {
        await section(page, 'Campaigns')
        await page.getByRole('link', { name: 'New campaign' }).first().click()
        await fill(page, 'Name', 'Spring')
        await fill(page, 'Rotator slug', 'spring-offers')
        await press(page, 'Save')
        await page.getByLabel('Add a link').fill('in-rotation')
        await press(page, 'Add')
        await page.getByText('/r/spring-offers').first().waitFor()
        await page.getByRole('table').getByRole('link', { name: 'in-rotation' }).waitFor()
      },
      (owner) => make.link(owner, { alias: 'in-rotation' }),
    )
  })

  test('creates a bio page with a picture', async ({ from }) => {
    await from(async (page) => {
      await section(page, 'Bio pages')
      await page.getByRole('link', { name: 'New bio page' }).first().click()
      await fill(page, 'Title', 'Anna')
      await fill(page, 'Alias', 'anna-of-tasks')
      await page.getByLabel('Picture', { exact: true }).setInputFiles(await picture('jpeg'))
      await fill(page, 'Title of link 1', 'Shop')
      await fill(page, 'URL of link 1', 'https://example.com/')
      await press(page, 'Save')
      await toast(page, 'Created')
    })
  })

  test('adds a domain', async ({ from }) => {
    await from(async (page) => {
      await section(page, 'Domains')
      await page.getByRole('link', { name: 'New domain' }).first().click()
      await fill(page, 'Domain', 'tasks.test')
      await press(page, 'Save')
      await toast(page, 'Created')
    })
  })

  test('imports a file from Bitly', async ({ app, from }) => {
    const database = openDatabase({ url: app.databaseUrl, name: 'imports', max: 4 })
    const ctx = { ...app.services, log: (details: object) => console.error(details) }
    const worker = createImportWorker(ctx, database.db)
    const rows = [
      'title,link,long_url,created_at,tags',
      'Menu,bit.ly/3MenuX,https://example.com/menu,2025-03-01T12:00:00+0000,print',
    ]
    const file = { name: 'bitly.csv', mimeType: 'text/csv', buffer: Buffer.from(rows.join('\n')) }
    await from(async (page) => {
      await section(page, 'Import & export')
      await page.locator('input[type=file]').setInputFiles(file)
      await press(page, 'Upload and review')
      await page.getByText('Queued').waitFor()
      await worker.drain()
      await press(page, 'Import')
      await page.getByText('Queued').waitFor()
      await worker.drain()
      await page.getByText('Import finished.').waitFor()
      await section(page, 'Links')
      await page.getByText('brev.test/3MenuX').first().waitFor()
    })
    await worker.stop()
    await database.close()
  })
})

import sharp from 'sharp'
import { describe, expect } from 'vitest'
import { browserSetups, browserTest } from '../support/browser-test.ts'
import { inspect } from '../support/inspection.ts'

const test = browserTest()

describe.each(browserSetups)('%s', (setupName, options) => {
  const hasScripts = options.javaScriptEnabled !== false

  test('the preview card shows an uploaded image after saving and, with scripts, before', async ({
    app,
    signInPage,
  }) => {
    await app.walk(async (page) => {
      await signInPage(page)
      const name = setupName.replaceAll(' ', '-')
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="315"><rect width="600" height="315" fill="#7a1fa2"/><circle cx="300" cy="150" r="90" fill="#fff"/></svg>`
      const buffer = await sharp(Buffer.from(svg)).png().toBuffer()
      await page.goto(`${app.baseUrl}/console/links/new`)
      await page.getByLabel('Destination URL', { exact: true }).fill('https://example.com/')
      await page.getByLabel('Alias').fill(`card-${name}`)
      await page.getByLabel('Title', { exact: true }).fill('Sale')
      await page
        .getByLabel('Upload image')
        .setInputFiles({ name: 'card.png', mimeType: 'image/png', buffer })
      const image = page.locator('[data-card-image]')
      if (hasScripts) await image.waitFor()
      await inspect(page, `link-card-new-${name}`, options)
      await page.getByRole('button', { name: 'Create link' }).last().click()
      await page.locator('#toast').getByText('Created').waitFor()
      await page.goto(`${page.url()}/edit`)
      await image.waitFor()
      expect(await image.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBe(
        600,
      )
      expect(await page.getByLabel('Image URL').inputValue()).toContain('/static/')
      await inspect(page, `link-card-${name}`, options)
    }, options)
  })
})

import sharp from 'sharp'
import { describe, expect } from 'vitest'
import { browserSetups, browserTest } from '../support/browser-test.ts'
import { inspect } from '../support/inspection.ts'

const test = browserTest()

describe.each(browserSetups)('%s', (setupName, options) => {
  test('a user uploads a logo and selects a color for a domain', async ({ app, signInPage }) => {
    await app.walk(async (page) => {
      const owner = await signInPage(page)
      const name = setupName.replaceAll(' ', '-')
      const domain = await app.make.domain(owner, { domain: `https://${name}.test` })
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="90"><rect width="300" height="90" rx="20" fill="#7a1fa2"/><circle cx="50" cy="45" r="25" fill="#fff"/></svg>`
      const logo = await sharp(Buffer.from(svg)).png().toBuffer()
      await page.goto(`${app.baseUrl}/console/domains/${domain.id}`)
      await page.getByLabel('Logo', { exact: true }).setInputFiles({
        name: 'logo.png',
        mimeType: 'image/png',
        buffer: logo,
      })
      await page.getByLabel('Use a custom accent color').check()
      await page.getByLabel('Accent color', { exact: true }).fill('#7a1fa2')
      await page.getByRole('button', { name: 'Save brand' }).click()
      await page.locator('#toast').getByText('Saved').waitFor()
      await page.getByAltText('Current logo').waitFor()
      await inspect(page, `domain-brand-${name}`, options)
      expect(await page.getByLabel('Accent color', { exact: true }).inputValue()).toBe('#7a1fa2')
    }, options)
  })
})

import sharp from 'sharp'
import { describe, expect } from 'vitest'
import { browserSetups, browserTest } from '../support/browser-test.ts'
import { inspect } from '../support/inspection.ts'

const test = browserTest()

describe.each(browserSetups)('%s', (setupName, options) => {
  const name = setupName.replaceAll(' ', '-')

  test('a user creates a bio page with a picture and a theme', async ({ app, signInPage }) => {
    await app.walk(async (page) => {
      await signInPage(page)
      const picture = sharp({
        create: { width: 300, height: 300, channels: 3, background: '#7a1fa2' },
      })
      await page.goto(`${app.baseUrl}/console/bios`)
      await page.getByRole('link', { name: 'New bio page' }).click()
      await page.getByLabel('Title', { exact: true }).fill('Anna')
      await page.getByLabel('Alias', { exact: true }).fill(`anna-${name}`)
      await page.getByLabel('Picture', { exact: true }).setInputFiles({
        name: 'anna.jpg',
        mimeType: 'image/jpeg',
        buffer: await picture.jpeg().toBuffer(),
      })
      await page.getByLabel('Title of link 1').fill('Shop')
      await page.getByLabel('URL of link 1').fill('https://example.com/')
      await page.getByLabel('Theme', { exact: true }).selectOption('Colored')
      await inspect(page, `console-bio-new-${name}`, options)
      await page.getByRole('button', { name: 'Save' }).last().click()
      await page.locator('#toast').getByText('Created').waitFor()
      await page.getByAltText('Current picture').waitFor()
      await page.getByText('0 clicks').waitFor()
      await inspect(page, `console-bio-edit-${name}`, options)
    }, options)
  })

  test.for(['auto', 'light', 'dark', 'color'])(
    'a bio page with the theme %s is accessible',
    async (theme, { app }) => {
      await app.walk(async (page) => {
        const owner = await app.make.owner()
        const { alias } = await app.make.bio(owner, {
          theme,
          color: '#c2410c',
          title: 'Anna Ada',
          text: 'Engines and numbers',
          links: ['Shop', 'Blog', 'Videos'].map((title) => ({
            title,
            url: 'https://example.com/',
          })),
        })
        await page.goto(`${app.baseUrl}/b/${alias}`)
        await inspect(page, `bio-${theme}-${name}`, options)
        expect(await page.getByRole('link', { name: 'Shop' }).count()).toBe(1)
      }, options)
    },
  )
})

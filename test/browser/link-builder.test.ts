import { describe, expect } from 'vitest'
import { getLinkWithParts } from '../../src/links/link.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { browserSetups, browserTest } from '../support/browser-test.ts'
import { inspect } from '../support/inspection.ts'

const test = browserTest({ OUTBOUND_ALLOW: '127.0.0.1/32' })

describe.each(browserSetups)('%s', (setupName, options) => {
  const hasScripts = options.javaScriptEnabled !== false

  test('a user creates a link with a fetched title and UTM parameters from a template, and sees its QR code', async ({
    app,
    signInPage,
  }) => {
    await app.walk(async (page) => {
      const owner = await signInPage(page)
      await page.goto(`${app.baseUrl}/console/links/new`)
      await page.getByLabel('Destination URL', { exact: true }).fill(`${app.site.origin}/article`)
      await page.getByRole('button', { name: 'Fetch title' }).click()
      await page.getByText('Title fetched').waitFor()
      expect(await page.getByLabel('Title', { exact: true }).inputValue()).toBe('The target')
      expect(await page.locator('.card-title').textContent()).toBe('The target')

      const code = page.getByRole('img', { name: 'QR code of the short link' })
      const alias = `built-${setupName.replaceAll(' ', '-')}`
      await page.getByLabel('Alias').fill(alias)
      if (hasScripts) await page.waitForSelector(`[data-code][src*="alias=${alias}"]`)
      const measureWidth = async (image: SVGElement | HTMLElement) => {
        await (image as HTMLImageElement).decode()
        return (image as HTMLImageElement).naturalWidth
      }
      expect(await code.evaluate(measureWidth)).toBe(320)

      await page.locator('#group-parameters > summary').click()
      await page.getByLabel('Source').fill('poster')
      await page.getByLabel('Medium').fill('print')
      const finalUrl = `${app.site.origin}/article?utm_source=poster&utm_medium=print`
      if (hasScripts) await page.getByText(finalUrl, { exact: true }).waitFor()
      await page.getByLabel('Template name').fill('Posters')
      await page.getByRole('button', { name: 'Create template' }).click()
      await page.getByText('Template saved').waitFor()
      expect(await page.getByLabel('Alias').inputValue()).toBe(alias)
      await page.getByLabel('Source').fill('other')
      await page.getByRole('button', { name: 'Apply template' }).click()
      await page.getByText('Template applied').waitFor()
      await page.getByText(finalUrl, { exact: true }).waitFor()
      expect(await page.getByLabel('Source').inputValue()).toBe('poster')
      await page.getByLabel('Tags', { exact: true }).fill('Print')
      await inspect(page, `builder-${setupName}`, options)

      await page.getByRole('main').getByRole('button', { name: 'Create link' }).click()
      await page.waitForURL(/links\/\d+$/)
      const id = Number(page.url().split('/').at(-1))
      expect(await getLinkWithParts(scopeOf(app.services, owner.account.id), id)).toMatchObject({
        alias,
        metaTitle: 'The target',
        tags: ['Print'],
        parameters: [
          { name: 'utm_source', value: 'poster' },
          { name: 'utm_medium', value: 'print' },
        ],
      })
    }, options)
  })
})

test('the save bar and the side column stay visible while scrolling', async ({
  app,
  signInPage,
}) => {
  await app.walk(async (page) => {
    await signInPage(page)
    await page.goto(`${app.baseUrl}/console/links/new`)
    for (const group of await page.locator('.group > summary').all()) await group.click()
    await page.evaluate(() => scrollTo(0, 700))
    const { y: top = -1 } = (await page.locator('.side').boundingBox()) ?? {}
    expect(top).toBeGreaterThanOrEqual(0)
    const save = page.getByRole('main').getByRole('button', { name: 'Create link' })
    const { y = 0, height = 0 } = (await save.boundingBox()) ?? {}
    expect(y + height).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0)
  })
})

test('the final URL follows the typed destination and parameters, and long ones wrap', async ({
  app,
  signInPage,
}) => {
  await app.walk(async (page) => {
    await signInPage(page)
    await page.goto(`${app.baseUrl}/console/links/new`)
    await page.locator('#group-parameters > summary').click()
    await page.getByText('Shown once the destination URL is complete.').waitFor()
    await page.getByLabel('Source').fill('a b')
    await page.getByLabel('Destination URL', { exact: true }).fill('example.com/#top')
    await page.getByText('https://example.com/?utm_source=a+b#top', { exact: true }).waitFor()
    await page.getByLabel('Parameter 1').fill('ref')
    await page.getByLabel('Value 1').first().fill('x'.repeat(2000))
    const long = `https://example.com/?utm_source=a+b&ref=${'x'.repeat(2000)}#top`
    await page.getByText(long, { exact: true }).waitFor()
    await page.getByLabel('Destination URL', { exact: true }).fill('example')
    await page.getByText('Shown once the destination URL is complete.').waitFor()
    await page.getByLabel('Destination URL', { exact: true }).fill('example.com/#top')
    await page.getByText(long, { exact: true }).waitFor()
    await inspect(page, 'builder-final-url')
  })
})

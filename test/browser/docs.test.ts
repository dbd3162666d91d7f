import { afterAll, beforeAll, expect, test } from 'vitest'
import { barriers, overflows, phone, picture } from '../support/browser.ts'
import { type BrowserApp, browserApp } from '../support/browser-app.ts'

let t: BrowserApp

beforeAll(async () => {
  t = await browserApp()
})
afterAll(() => t?.close())

test.each([
  ['wide', {}],
  ['dark', { colorScheme: 'dark' }],
  ['phone', { viewport: phone }],
] as const)('the documentation can be read by everybody: %s', async (look, options) => {
  await t.walk(async (page) => {
    for (const path of ['/docs', '/docs/links', '/docs/legacy-api']) {
      await page.goto(`${t.baseUrl}${path}`)
      await picture(page, `docs${path.replaceAll('/', '-')}-${look}`)
      expect([path, await overflows(page), await barriers(page)]).toEqual([path, false, []])
    }
  }, options)
})

test('without scripts a subject is found, and a call in each language', async () => {
  await t.walk(
    async (page) => {
      await page.goto(`${t.baseUrl}/docs`)
      await page.getByRole('navigation').getByRole('link', { name: 'Links', exact: true }).click()
      await page.waitForURL('**/docs/links')
      await page.getByText('Python').first().click()
      expect(await page.getByText('import requests').first().isVisible()).toBe(true)
    },
    { javaScriptEnabled: false },
  )
})

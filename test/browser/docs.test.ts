import { expect } from 'vitest'
import { barriers, overflows, picture } from '../support/browser.ts'
import { browserTest, scriptedLooks } from '../support/browser-test.ts'

const test = browserTest()

test.for(scriptedLooks)(
  'the documentation can be read by everybody: %s',
  async ([look, options], { app }) => {
    await app.walk(async (page) => {
      for (const path of ['/docs', '/docs/links', '/docs/legacy-api']) {
        await page.goto(`${app.baseUrl}${path}`)
        await picture(page, `docs${path.replaceAll('/', '-')}-${look}`)
        expect([path, await overflows(page), await barriers(page)]).toEqual([path, false, []])
      }
    }, options)
  },
)

test('without scripts a subject is found, and a call in each language', async ({ app }) => {
  await app.walk(
    async (page) => {
      await page.goto(`${app.baseUrl}/docs`)
      await page.getByRole('navigation').getByRole('link', { name: 'Links', exact: true }).click()
      await page.waitForURL('**/docs/links')
      await page.getByText('Python').first().click()
      expect(await page.getByText('import requests').first().isVisible()).toBe(true)
    },
    { javaScriptEnabled: false },
  )
})

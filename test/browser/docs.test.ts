import { expect } from 'vitest'
import { browserTest } from '../support/browser-test.ts'
import { findPageProblems } from '../support/inspection.ts'

const test = browserTest()

test('pages of the documentation are accessible', async ({ app }) => {
  await app.walk(async (page) => {
    for (const path of ['/docs', '/docs/links', '/docs/legacy-api']) {
      await page.goto(`${app.baseUrl}${path}`)
      expect(await findPageProblems(page, path.slice(1).replaceAll('/', '-'))).toEqual([])
    }
  })
})

test('the documentation opens sections and examples in another language without scripts', async ({
  app,
}) => {
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

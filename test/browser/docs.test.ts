import { expect } from 'vitest'
import { browserTest } from '../support/browser-test.ts'
import { findPageProblems } from '../support/inspection.ts'

const test = browserTest()

test('pages of the documentation are accessible', async ({ app }) => {
  await app.walk(async (page) => {
    for (const path of [
      '/docs',
      '/docs/links?sample=php',
      '/docs/legacy-api',
      '/docs/search?q=link',
    ]) {
      await page.goto(`${app.baseUrl}${path}`)
      expect(await findPageProblems(page, path.slice(1).replaceAll(/[/?=]/g, '-'))).toEqual([])
    }
  })
})

test('the documentation opens sections and samples in another language, and finds operations, without scripts', async ({
  app,
}) => {
  await app.walk(
    async (page) => {
      await page.goto(`${app.baseUrl}/docs`)
      await page.getByRole('navigation').getByRole('link', { name: 'Links', exact: true }).click()
      await page.waitForURL('**/docs/links')
      await page.getByRole('link', { name: 'Python' }).first().click()
      await page.getByText('import requests').first().waitFor()
      // Other pages keep the language of the samples.
      await page.getByLabel('Search the API').fill('create campaign')
      await page.getByRole('button', { name: 'Search' }).click()
      await page.getByRole('main').getByRole('link', { name: 'Create a campaign' }).click()
      await page.waitForURL('**/docs/campaigns?sample=python#post-api-campaign-add')
      await page.getByText('import requests').first().waitFor()
    },
    { javaScriptEnabled: false },
  )
})

import { expect } from 'vitest'
import { desktop, phone } from '../support/browser.ts'
import { browserSetups, browserTest } from '../support/browser-test.ts'
import { findAccessibilityViolations, inspect } from '../support/inspection.ts'
import { findSidewaysOverflow } from '../support/layout-problems.ts'

const test = browserTest()

test.for(browserSetups)(
  '%s: a German user creates a link and finds it in the list',
  async ([setupName, options], { app, signInPage }) => {
    await app.walk(async (page) => {
      await signInPage(page)
      const alias = `frühling-${setupName.replaceAll(' ', '-')}`
      await page.goto(`${app.baseUrl}/console/settings`)
      await page.getByLabel('Language').selectOption('Deutsch')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Gespeichert').waitFor()
      expect(await page.getByLabel('Sprache').inputValue()).toBe('de')
      await inspect(page, `german-settings-${setupName}`, options)
      await page.goto(`${app.baseUrl}/console`)
      await page.getByLabel('Ziel-URL').fill('https://example.com/frühling')
      await page.getByText('Alias wählen').click()
      await page.getByLabel('Alias').fill(alias)
      await page.getByRole('button', { name: 'Link erstellen' }).click()
      await page.locator('#made').waitFor()
      expect(await page.locator('#made').textContent()).toBe(`brev.test/${alias}`)
      if (options.javaScriptEnabled !== false) {
        await page.locator('[data-copy="made"]').click()
        // The button selects the text if the browser does not allow copying it.
        await page.getByText('✓ Kopiert').or(page.getByText('Ausgewählt')).first().waitFor()
        await page.getByRole('button', { name: 'Link kopieren', exact: true }).first().waitFor()
      }
      await inspect(page, `german-overview-${setupName}`, options)
      await page.goto(`${app.baseUrl}/console/links`)
      await page.getByText(`brev.test/${alias}`).first().waitFor()
      expect(await page.locator('html').getAttribute('lang')).toBe('de')
      await inspect(page, `german-links-${setupName}`, options)
    }, options)
  },
)

test('German pages are accessible and fit on a phone', async ({ app, signInPage }) => {
  const owner = await app.make.owner()
  const { id } = await app.make.link(owner, { tags: ['frühling'], maxClicks: 12_345 })
  await app.request({ url: `/${(await app.make.link(owner)).alias}` })
  const { db } = app.services
  await db
    .updateTable('users')
    .set({ language: 'de' })
    .where('email', '=', owner.account.email)
    .execute()
  const paths = ['', '/links', `/links/${id}`, `/links/${id}/edit`, '/analytics', '/settings']
  await app.walk(async (page) => {
    await signInPage(page, owner)
    for (const path of paths) {
      await page.setViewportSize(desktop)
      await page.goto(`${app.baseUrl}/console${path}`)
      expect(await page.locator('html').getAttribute('lang'), path).toBe('de')
      expect(await findAccessibilityViolations(page), path).toEqual([])
      await page.setViewportSize(phone)
      expect(await page.evaluate(findSidewaysOverflow), path).toEqual([])
    }
  })
})

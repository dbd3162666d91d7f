import { describe, expect } from 'vitest'
import { getLink } from '../../src/links/link.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { browserSetups, browserTest } from '../support/browser-test.ts'
import { inspect } from '../support/inspection.ts'

const test = browserTest()

describe.each(browserSetups)('%s', (setupName, options) => {
  test('a toast confirms a change once and can undo it', async ({ app, signInPage }) => {
    await app.walk(async (page) => {
      const owner = await signInPage(page)
      const name = setupName.replaceAll(' ', '-')
      const links = [
        await app.make.link(owner, { alias: `${name}-one` }),
        await app.make.link(owner, { alias: `${name}-two` }),
      ]
      const getStatuses = async () => {
        const stored = await Promise.all(
          links.map(({ id }) => getLink(scopeOf(app.services, owner.account.id), id)),
        )
        return stored.map(({ status }) => status)
      }
      const toast = page.locator('#toast')

      await page.goto(`${app.baseUrl}/console/links`)
      for (const { alias } of links) {
        await page.getByRole('checkbox', { name: `Select brev.test/${alias}` }).check()
      }
      await page.locator('#change').getByRole('button', { name: 'Disable' }).click()
      await toast.getByText('2 links disabled.').waitFor()
      expect(await getStatuses()).toEqual(['disabled', 'disabled'])
      await inspect(page, `toast-${name}`, options)
      await toast.getByRole('button', { name: 'Undo' }).click()
      await toast.getByText('2 links enabled.').waitFor()
      expect(await getStatuses()).toEqual(['active', 'active'])

      const path = `/console/links/${links[0]?.id}`
      await page.goto(app.baseUrl + path)
      expect(await toast.count()).toBe(0)
      await page.locator('.link-head .row-menu summary').first().click()
      await page.getByRole('button', { name: 'Disable' }).click()
      await toast.getByText('Link disabled').waitFor()
      await toast.getByRole('button', { name: 'Undo' }).click()
      await toast.getByText('Link enabled').waitFor()
      expect(new URL(page.url()).pathname).toBe(path)
      expect(await getStatuses()).toEqual(['active', 'active'])
      await page.reload()
      expect(await toast.count()).toBe(0)

      await page.goto(`${app.baseUrl}/console/channels/new`)
      await page.getByLabel('Name').fill('Spring')
      await page.getByRole('button', { name: 'Save' }).click()
      await toast.getByText('Created').waitFor()
    }, options)
  })
})

import { describe, expect } from 'vitest'
import { deleteLinks } from '../../src/links/trash.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { browserSetups, browserTest } from '../support/browser-test.ts'
import { inspect } from '../support/inspection.ts'

const test = browserTest()

describe.each(browserSetups)('%s', (setupName, options) => {
  test('a user archives a link, restores one from the trash and empties the trash', async ({
    app,
    signInPage,
  }) => {
    await app.walk(async (page) => {
      const owner = await signInPage(page)
      const name = setupName.replaceAll(' ', '-')
      const links = [
        await app.make.link(owner, { alias: `${name}-first`, metaTitle: 'Spring sale' }),
        await app.make.link(owner, { alias: `${name}-second` }),
        await app.make.link(owner, { alias: `${name}-third` }),
      ]
      const toast = page.locator('#toast')
      const selectLink = (alias: string) =>
        page.getByRole('checkbox', { name: `Select brev.test/${alias}` }).check()

      await page.goto(`${app.baseUrl}/console/links`)
      await selectLink(`${name}-first`)
      await page.getByText('More actions').click()
      await inspect(page, `bulk-${name}`, options)
      await page.locator('#change').getByRole('button', { name: 'Archive' }).click()
      await toast.getByText('1 link archived.').waitFor()
      await page.goto(`${app.baseUrl}/console/links?status=archived`)
      await page.getByText('Spring sale').waitFor()
      await inspect(page, `archive-${name}`, options)

      await deleteLinks(
        scopeOf(app.services, owner.account.id),
        links.slice(0, 2).map(({ id }) => id),
      )
      await page.goto(`${app.baseUrl}/console/links`)
      await page.getByRole('link', { name: 'Trash' }).click()
      await inspect(page, `trash-${name}`, options)
      await selectLink(`${name}-second`)
      await page.getByRole('button', { name: 'Restore', exact: true }).click()
      await toast.getByText('1 link restored.').waitFor()
      await page.goto(`${app.baseUrl}/console/links/trash`)
      await page.getByRole('button', { name: 'Empty trash' }).click()
      await inspect(page, `trash-ask-${name}`, options)
      await page.getByRole('button', { name: 'Delete 1 link permanently' }).click()
      await toast.getByText('1 link deleted permanently.').waitFor()
      await inspect(page, `trash-empty-${name}`, options)
      expect(await page.getByRole('heading', { name: 'The trash is empty' }).count()).toBe(1)
    }, options)
  })
})

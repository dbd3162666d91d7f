import { describe } from 'vitest'
import { createSession } from '../../src/identity/session.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { browserSetups, browserTest } from '../support/browser-test.ts'
import { PASSWORD } from '../support/console.ts'
import { inspect } from '../support/inspection.ts'

const test = browserTest()

describe.each(browserSetups)('%s', (setupName, options) => {
  test('a user changes the password, ends other sessions and deletes the account', async ({
    app,
    signInPage,
  }) => {
    await app.walk(async (page) => {
      const { account } = await signInPage(page)
      await createSession(scopeOf(app.services, account.id), 'Firefox on Windows 10')
      await page.goto(`${app.baseUrl}/console/account`)
      await inspect(page, `account-${setupName}`, options)
      await page.getByRole('button', { name: 'Sign out all other sessions' }).click()
      await page.waitForURL('**/console/account')
      await page.getByLabel('Current password').fill('wrong password')
      await page.getByLabel('New password').fill('another good password')
      await page.getByRole('button', { name: 'Change password' }).click()
      await page.waitForSelector('#currentPassword-error')
      await inspect(page, `account-wrong-${setupName}`, options)
      await page.getByLabel('Current password').fill(PASSWORD)
      await page.getByLabel('New password').fill('another good password')
      await page.getByRole('button', { name: 'Change password' }).click()
      await page.waitForURL('**/console/account?done=password')
      await page.getByText('Delete account …').click()
      await page.getByLabel('Username').fill(account.username)
      // The former password is no longer valid.
      await page.getByLabel('Password to confirm').fill(PASSWORD)
      await page.getByRole('button', { name: 'Delete account', exact: true }).click()
      await page.waitForSelector('#deletionPassword-error')
      await inspect(page, `account-delete-${setupName}`, options)
      await page.getByLabel('Password to confirm').fill('another good password')
      await page.getByRole('button', { name: 'Delete account', exact: true }).click()
      await page.waitForURL('**/console/deleted')
      await inspect(page, `account-deleted-${setupName}`, options)
    }, options)
  })
})

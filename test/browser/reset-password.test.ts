import { expect } from 'vitest'
import { signIn } from '../../src/identity/session.service.ts'
import { browserSetups, browserTest } from '../support/browser-test.ts'
import { PASSWORD } from '../support/console.ts'
import { inspect } from '../support/inspection.ts'
import { createPasswordReset } from '../support/password-reset.ts'

const test = browserTest()

const NEW_PASSWORD = 'another good password'

test.for(browserSetups)(
  '%s: a reset link sets a new password without leaking its token in a Referer header',
  async ([setupName, options], { app }) => {
    const { account } = await app.make.owner()
    const { url } = await createPasswordReset(app.services, app.services.db, account.id)
    // The last part of the URL, 32 bytes in Base64.
    const token = url.slice(-43)
    await app.walk(async (page) => {
      const referrers: string[] = []
      page.on('request', (request) => {
        referrers.push(request.headers().referer ?? '')
      })
      await page.goto(url)
      await inspect(page, `reset-password-${setupName}`, options)
      // Removes the browser's validation, so that a short password reaches the server.
      await page.locator('form').evaluate((form: HTMLFormElement) => {
        form.noValidate = true
      })
      await page.getByLabel('New password').fill('short')
      await page.getByRole('button', { name: 'Set password' }).click()
      await page.waitForSelector('#newPassword-error')
      await inspect(page, `reset-password-wrong-${setupName}`, options)
      await page.getByLabel('New password').fill(NEW_PASSWORD)
      await page.getByRole('button', { name: 'Set password' }).click()
      await page.waitForURL('**/console')
      expect(await page.textContent('h1')).toBe('Overview')
      await page.goto(url)
      await inspect(page, `reset-password-used-${setupName}`, options)
      await page.getByRole('link', { name: 'Sign in' }).click()
      await page.waitForURL('**/console')
      expect(referrers.length).toBeGreaterThan(5)
      expect(referrers.join(' ')).not.toContain(token)
    }, options)
    const signInWith = (password: string) => {
      const attempt = { email: account.email, address: '198.51.100.1', password }
      return signIn(app.services, app.services.db, attempt)
    }
    expect(await signInWith(PASSWORD)).toMatchObject({ rejection: 'wrong' })
    expect(await signInWith(NEW_PASSWORD)).toMatchObject({ user: { email: account.email } })
  },
)

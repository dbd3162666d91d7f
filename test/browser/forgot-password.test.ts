import { expect } from 'vitest'
import { browserSetups, browserTest } from '../support/browser-test.ts'
import { inspect } from '../support/inspection.ts'

const test = browserTest({ SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'brevis@brev.test' })

test.for(browserSetups)(
  '%s: a user requests a link to reset the password',
  async ([setupName, options], { app }) => {
    await app.walk(async (page) => {
      await page.goto(`${app.baseUrl}/console/sign-in`)
      await page.getByRole('link', { name: 'Forgot password?' }).click()
      await page.waitForURL('**/console/forgot-password')
      await inspect(page, `forgot-password-${setupName}`, options)
      // Disables the browser's validation, so that the invalid email address reaches the server.
      await page.locator('form').evaluate((form: HTMLFormElement) => {
        form.noValidate = true
      })
      await page.getByLabel('Email').fill('invalid')
      await page.getByRole('button', { name: 'Send reset link' }).click()
      await page.waitForSelector('#email-error')
      await inspect(page, `forgot-password-wrong-${setupName}`, options)
      await page.getByLabel('Email').fill(app.owner.account.email)
      await page.getByRole('button', { name: 'Send reset link' }).click()
      await page.waitForURL('**/console/forgot-password/sent')
      expect(await page.textContent('h1')).toBe('Check your email')
      await inspect(page, `forgot-password-sent-${setupName}`, options)
    }, options)
  },
)

import { expect } from 'vitest'
import { browserSetups, browserTest } from '../support/browser-test.ts'
import { PASSWORD } from '../support/console.ts'
import { inspect } from '../support/inspection.ts'
import { createAuthenticatorApp, SETTINGS, secretIn } from '../support/second-factor.ts'

const test = browserTest()

test.for(browserSetups)(
  '%s: a user turns on one-time codes and signs in with one',
  async ([setupName, options], { app, signInPage }) => {
    const owner = await app.make.owner()
    const { email } = owner.account
    await app.walk(async (page) => {
      await signInPage(page, owner)
      await page.goto(`${app.baseUrl}/console/account`)
      await page.getByRole('link', { name: 'Two-factor authentication' }).click()
      await page.waitForURL(`**${SETTINGS}`)
      await inspect(page, `second-factor-off-${setupName}`, options)
      await page.getByLabel('Your password').first().fill('a guess')
      await page.getByRole('button', { name: 'Set up' }).click()
      await page.waitForSelector('#codesPassword-error')
      await page.getByLabel('Your password').first().fill(PASSWORD)
      await page.getByRole('button', { name: 'Set up' }).click()
      await page.waitForSelector('#secret')
      await inspect(page, `second-factor-setup-${setupName}`, options)
      const authenticatorApp = createAuthenticatorApp(app, secretIn(await page.content()))
      await page.getByLabel('Code').fill(authenticatorApp.code())
      await page.getByRole('button', { name: 'Turn on' }).click()
      await page.getByRole('heading', { name: 'Your recovery codes', level: 1 }).waitFor()
      await inspect(page, `recovery-codes-${setupName}`, options)
      await page.getByRole('link', { name: 'Done' }).click()
      await page.getByText('10 recovery codes left.').waitFor()
      await inspect(page, `second-factor-on-${setupName}`, options)
      await page.goto(`${app.baseUrl}/console`)
      await page.context().clearCookies()
      // A code works only once, so the sign-in needs a later one.
      app.clock.advance(60)
      await page.goto(`${app.baseUrl}/console/links`)
      await page.getByLabel('Email').fill(email)
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: 'Enter your code' }).waitFor()
      await inspect(page, `second-step-${setupName}`, options)
      await page.getByLabel('Code').fill(authenticatorApp.wrongCode())
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForSelector('#code-error')
      await inspect(page, `second-step-wrong-${setupName}`, options)
      // A sign-in must be completed within ten minutes.
      app.clock.advance(601)
      await page.getByLabel('Code').fill(authenticatorApp.code())
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: 'Sign in again' }).waitFor()
      await inspect(page, `second-step-expired-${setupName}`, options)
      await page.getByRole('link', { name: 'Sign in' }).click()
      await page.getByLabel('Email').fill(email)
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByLabel('Code').fill(authenticatorApp.code())
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL('**/console')
      expect(await page.textContent('h1')).toBe('Overview')
    }, options)
  },
)

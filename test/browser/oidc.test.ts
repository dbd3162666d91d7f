import { afterAll, expect } from 'vitest'
import { browserSetups, browserTest } from '../support/browser-test.ts'
import { PASSWORD } from '../support/console.ts'
import { openIdentityProvider } from '../support/identity-provider.ts'
import { inspect } from '../support/inspection.ts'
import { inviteTo } from '../support/members.ts'

const redirectUri = 'http://brev.test/console/oidc/callback'
const provider = await openIdentityProvider({ redirectUri })
afterAll(provider.close)

const test = browserTest(provider.settings)

test.for(browserSetups)(
  '%s: a user signs in with the provider and confirms a change of email by signing in again',
  async ([setupName, options], { app }) => {
    const name = `person${setupName.length}`
    provider.state.person = { sub: name, email: `${name}@example.org`, email_verified: true }
    await app.walk(async (page) => {
      await page.goto(`${app.baseUrl}/console/sign-in?next=/console/settings`)
      await inspect(page, `sign-in-provider-${setupName}`, options)
      await page.getByRole('link', { name: 'Continue with Corp' }).click()
      await page.waitForURL('**/console/settings')
      expect(await page.textContent('#provider ~ p')).toBe('Connected to Corp.')
      await inspect(page, `settings-provider-${setupName}`, options)
      await page.goto(`${app.baseUrl}/console/account`)
      await inspect(page, `account-provider-${setupName}`, options)
      await page.getByRole('link', { name: 'Sign in again' }).first().click()
      await page.waitForURL('**/console/account')
      await page.locator('#email').fill(`renamed.${name}@example.org`)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.waitForURL('**/console/account?done=email')
    }, options)
  },
)

test.for(browserSetups)(
  '%s: a guest accepts an invitation with the provider, and an owner connects it to their user',
  async ([setupName, options], { app, signInPage }) => {
    const owner = await app.make.owner()
    const { path } = await inviteTo(app, owner, 'editor')
    const name = `guest${setupName.length}`
    provider.state.person = { sub: name, email: `${name}@example.org` }
    await app.walk(async (page) => {
      await page.goto(`${app.baseUrl}${path}`)
      await inspect(page, `invitation-provider-${setupName}`, options)
      await page.getByRole('button', { name: 'Accept with Corp' }).click()
      await page.waitForURL('**/console')
      await page.goto(`${app.baseUrl}/console/accounts`)
      expect(await page.textContent('main')).toContain(owner.account.username)
    }, options)
    provider.state.person = { sub: `own-${name}`, email: owner.account.email }
    await app.walk(async (page) => {
      await signInPage(page, owner)
      await page.goto(`${app.baseUrl}/console/settings`)
      await page.getByLabel('Your password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Connect Corp' }).click()
      await page.waitForSelector('text=Connected to Corp.')
    }, options)
  },
)

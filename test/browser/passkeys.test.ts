import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { browserTest, withoutScripts } from '../support/browser-test.ts'
import { PASSWORD } from '../support/console.ts'
import { inspect } from '../support/inspection.ts'
import { SETTINGS } from '../support/second-factor.ts'
import { addVirtualAuthenticator } from '../support/virtual-authenticator.ts'

const BASE_URL = 'http://localhost'

const test = browserTest({ BASE_URL })

async function signIn(page: Page, email: string): Promise<void> {
  await page.goto(`${BASE_URL}/console/sign-in`)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Opens the page that creates a passkey with this name. */
async function startAddingPasskey(page: Page, name: string): Promise<void> {
  await page.goto(`${BASE_URL}${SETTINGS}`)
  await page.getByLabel('Name').fill(name)
  await page.locator('#passkeyPassword').fill(PASSWORD)
  await page.getByRole('button', { name: 'Add passkey' }).click()
  await page.getByRole('button', { name: 'Create passkey' }).waitFor()
}

test('a user creates a passkey, signs in with it alone and after the password, and removes it', async ({
  app,
}) => {
  const { email } = (await app.make.owner()).account
  await app.walk(async (page) => {
    const device = await addVirtualAuthenticator(page)
    await signIn(page, email)
    await page.waitForURL('**/console')
    await startAddingPasskey(page, 'Work laptop')
    await inspect(page, 'passkey-create')
    await device.setUserVerified(false)
    await page.getByRole('button', { name: 'Create passkey' }).click()
    await page.getByText('That didn’t work. Try again.').waitFor()
    await device.setUserVerified(true)
    await page.getByRole('button', { name: 'Create passkey' }).click()
    await page.getByRole('heading', { name: 'Your recovery codes', level: 1 }).waitFor()
    expect(await device.listPasskeys()).toMatchObject([
      { rpId: 'localhost', isResidentCredential: true },
    ])
    await page.getByRole('link', { name: 'Done' }).click()
    await page.getByText('Work laptop').first().waitFor()
    await inspect(page, 'passkeys')
    await startAddingPasskey(page, 'Duplicate')
    await page.getByRole('button', { name: 'Create passkey' }).click()
    await page.getByText('This device already has a passkey for your account.').waitFor()

    await page.context().clearCookies()
    // Otherwise, the device would accept the offer in the email field.
    await device.setPresent(false)
    await page.goto(`${BASE_URL}/console/links`)
    await inspect(page, 'sign-in-passkey')
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('heading', { name: 'Use your passkey' }).waitFor()
    await device.setPresent(true)
    await inspect(page, 'passkey-alone')
    await device.setUserVerified(false)
    await page.getByRole('button', { name: 'Use passkey' }).click()
    await page.getByText('That didn’t work. Try again.').waitFor()
    await device.setUserVerified(true)
    await page.getByRole('button', { name: 'Use passkey' }).click()
    await page.waitForURL('**/console/links')

    await page.context().clearCookies()
    await device.setPresent(false)
    await signIn(page, email)
    await page.getByText(`Signing in as ${email}.`).waitFor()
    await device.setPresent(true)
    await inspect(page, 'passkey-second')
    await page.getByRole('button', { name: 'Use passkey' }).click()
    await page.waitForURL('**/console')
    await page.goto(`${BASE_URL}${SETTINGS}`)
    await page.getByRole('button', { name: 'Remove' }).first().click()
    await page.locator('[id^="proof-"]').first().fill(PASSWORD)
    await page.getByRole('button', { name: 'Remove passkey' }).locator('visible=true').click()
    await page.getByText('Passkey removed.').waitFor()

    await page.context().clearCookies()
    await device.setPresent(false)
    await page.goto(`${BASE_URL}/console/sign-in`)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('heading', { name: 'Use your passkey' }).waitFor()
    await device.setPresent(true)
    await page.getByRole('button', { name: 'Use passkey' }).click()
    await page.getByText('This passkey was not accepted. Try again.').waitFor()
    await inspect(page, 'passkey-refused')
    await device.setPresent(false)
    await signIn(page, email)
    await page.waitForURL('**/console')
  })
})

test('signing in with a passkey without scripts explains that passkeys need scripts', async ({
  app,
}) => {
  const [setupName, options] = withoutScripts
  await app.walk(async (page) => {
    await page.goto(`${BASE_URL}/console/sign-in`)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText('Passkeys need JavaScript.').waitFor()
    expect(await page.getByRole('button', { name: 'Use passkey' }).isVisible()).toBe(false)
    await inspect(page, `passkey-alone-${setupName}`, options)
  }, options)
})

test('passkeys are offered in the email field of the sign-in page', async ({ app }) => {
  const { email } = (await app.make.owner()).account
  await app.walk(async (page) => {
    const device = await addVirtualAuthenticator(page)
    await signIn(page, email)
    await page.waitForURL('**/console')
    await startAddingPasskey(page, 'Phone')
    await page.getByRole('button', { name: 'Create passkey' }).click()
    await page.getByRole('heading', { name: 'Your recovery codes', level: 1 }).waitFor()
    await page.context().clearCookies()
    await device.setPresent(false)
    await page.goto(`${BASE_URL}/console/sign-in`)
    const field = page.getByLabel('Email')
    expect(await field.getAttribute('autocomplete')).toBe('username webauthn')
    await page.locator('form[data-passkey="request"]').waitFor({ state: 'attached' })
    await inspect(page, 'sign-in-offer')
    // Without a person who selects it, the device accepts the offer.
    await device.setPresent(true)
    await page.goto(`${BASE_URL}/console/links?status=disabled`)
    await page.waitForURL('**/console/links?status=disabled')
  })
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { createSession } from '../../src/identity/session.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { openBrowser } from '../support/browser.ts'
import { startCaddy } from '../support/caddy.ts'
import { PASSWORD } from '../support/console.ts'
import { isInstalled } from '../support/published.ts'
import { SETTINGS } from '../support/second-factor.ts'
import { appTest } from '../support/test.ts'
import { addVirtualAuthenticator } from '../support/virtual-authenticator.ts'

const ORIGIN = 'https://brev.test'

/** A `test` with `openPage`, which opens a page of a browser that reaches the app through Caddy. */
const test = appTest({ env: { BASE_URL: ORIGIN, TRUST_PROXY: '127.0.0.1' } })
  .extend('caddy', { scope: 'file' }, async ({ app }, { onCleanup }) => {
    await app.listen()
    const folder = await mkdtemp(join(tmpdir(), 'brevis-caddy-'))
    const caddy = await startCaddy({ port: app.port(), folder })
    onCleanup(async () => {
      await caddy.stop()
      await rm(folder, { recursive: true, force: true })
    })
    return caddy
  })
  .extend('openPage', { scope: 'file' }, async ({ caddy, make, owner }, { onCleanup }) => {
    await make.domain(owner, { domain: 'https://go.test' })
    // Caddy has a certificate after the first request.
    await caddy.request('brev.test', '/')
    const browser = await openBrowser(
      { 'brev.test': caddy.httpsPort, 'go.test': caddy.httpsPort },
      { trustedKey: await caddy.readSignerHash() },
    )
    onCleanup(() => browser.close())
    return async () => (await browser.newContext()).newPage()
  })
  .skipIf(!isInstalled('caddy'))

test('a passkey is created and signs in alone over https, and belongs to the host of the console', async ({
  app,
  owner,
  openPage,
}) => {
  const page = await openPage()
  const device = await addVirtualAuthenticator(page)
  const value = await createSession(scopeOf(app.services, owner.account.id))
  const name = '__Secure-brevis_session'
  await page.context().addCookies([{ name, value, url: `${ORIGIN}/console`, secure: true }])
  await page.goto(`${ORIGIN}${SETTINGS}`)
  await page.getByLabel('Name').fill('Key')
  await page.locator('#passkeyPassword').fill(PASSWORD)
  await page.getByRole('button', { name: 'Add passkey' }).click()
  await page.getByRole('button', { name: 'Create passkey' }).click()
  await page.getByRole('link', { name: 'Done' }).waitFor()
  expect(await device.listPasskeys()).toMatchObject([{ rpId: 'brev.test' }])
  const { rows } = await app.services.database.pool.query('select count(*)::int as n from passkeys')
  expect(rows).toEqual([{ n: 1 }])

  await page.context().clearCookies()
  await device.setPresent(false)
  await page.goto(`${ORIGIN}/console/sign-in`)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByRole('heading', { name: 'Use your passkey' }).waitFor()
  await device.setPresent(true)
  await page.getByRole('button', { name: 'Use passkey' }).click()
  await page.waitForURL(`${ORIGIN}/console`)
  const cookies = await page.context().cookies()
  expect(cookies.filter(({ httpOnly, secure }) => httpOnly && secure)).toHaveLength(cookies.length)

  // A branded domain has no console, so a passkey cannot be asked for there.
  const reply = await page.goto('https://go.test/console/sign-in')
  expect(reply?.status()).toBe(404)
})

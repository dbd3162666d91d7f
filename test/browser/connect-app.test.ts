import { expect } from 'vitest'
import { createSession } from '../../src/identity/session.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { openBrowser } from '../support/browser.ts'
import { browserSetups } from '../support/browser-test.ts'
import { freePort } from '../support/free-port.ts'
import { inspect } from '../support/inspection.ts'
import { CALLBACK, createOauthApp } from '../support/oauth.ts'
import { appTest } from '../support/test.ts'

const port = await freePort()
const BASE_URL = `http://127.0.0.1:${port}`

const test = appTest({ env: { BASE_URL } })
  .extend('started', { scope: 'file', auto: true }, async ({ app }) => {
    await app.fastify.listen({ host: '127.0.0.1', port })
  })
  .extend('browser', { scope: 'file' }, async ({ app: _ }, { onCleanup }) => {
    const browser = await openBrowser({})
    onCleanup(() => browser.close())
    return browser
  })

test.for(browserSetups)(
  'an owner connects an app and disconnects it, %s',
  async ([, options], { app, browser }) => {
    const owner = await app.make.owner()
    await app.make.domain(owner)
    const value = await createSession(scopeOf(app.services, owner.account.id))
    const context = await browser.newContext(options)
    await context.addCookies([{ name: 'brevis_session', value, url: BASE_URL }])
    const page = await context.newPage()
    const oauthApp = createOauthApp(BASE_URL, 'Claude Code')
    await page.goto((await oauthApp.begin()).href)
    await inspect(page, 'connect', options)
    const returned = page.waitForRequest((request) => request.url().startsWith(CALLBACK))
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    // The content security policy of the page allows the redirect to the app.
    await oauthApp.finish((await returned).url())
    await (await oauthApp.connect()).close()
    // The other page still waits for the app, which does not listen.
    const settings = await context.newPage()
    await settings.goto(`${BASE_URL}/console/settings`)
    await inspect(settings, 'settings', options)
    expect(await settings.getByRole('cell', { name: 'Claude Code' }).count()).toBe(1)
    await settings.getByText('Disconnect', { exact: false }).first().click()
    await settings.getByRole('button', { name: 'Disconnect app' }).click()
    await settings.getByText('No apps yet.').waitFor()
    await expect(oauthApp.connect()).rejects.toThrow()
    await context.close()
  },
)

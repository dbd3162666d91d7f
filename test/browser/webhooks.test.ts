import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inspect, phone } from '../support/browser.ts'
import { type BrowserApp, browserApp } from '../support/browser-app.ts'
import { startReceiver, startWorker } from '../support/webhooks.ts'

let t: BrowserApp
let receiver: Awaited<ReturnType<typeof startReceiver>>
beforeAll(async () => {
  receiver = await startReceiver()
  t = await browserApp({ OUTBOUND_ALLOW: '127.0.0.0/8' })
})
afterAll(async () => {
  await receiver?.close()
  await t?.close()
})

const LOOKS: readonly [look: string, options: BrowserContextOptions][] = [
  ['wide', {}],
  ['wide dark', { colorScheme: 'dark' }],
  ['phone', { viewport: phone }],
  ['phone dark', { viewport: phone, colorScheme: 'dark' }],
  ['phone without scripts', { viewport: phone, javaScriptEnabled: false }],
]

test.for(LOOKS)(
  '%s, an endpoint that fails can be found out about and mended',
  async ([look, options]) => {
    const name = `webhooks-${look.replaceAll(' ', '-')}`
    const owner = await t.make.owner()
    const worker = startWorker(t)
    const path = `${look.replaceAll(' ', '-')}/${'without-any-end/'.repeat(30)}`
    const url = `${receiver.url}${path}?token=${'x'.repeat(600)}&quote="><script>alert(1)</script>`
    receiver.answerWith((_request, response) => response.writeHead(500, 'Oh').end())
    await t.walk(async (page) => {
      await signIn(page, owner.account.id)
      await page.goto(`${t.baseUrl}/console/webhooks`)
      await inspect(page, `${name}-none`, options)
      await page.getByLabel('Address').fill('ftp://example.com/')
      await page.getByRole('button', { name: 'Add endpoint' }).click()
      await page.locator('#url-error').waitFor()
      await inspect(page, `${name}-refused`, options)
      await page.getByLabel('Address').fill(url)
      await page.getByRole('button', { name: 'Add endpoint' }).click()
      await page.getByText('Nothing was sent yet.').waitFor()
      const secret = (await page.locator('#secret').textContent())?.trim()
      await page.getByRole('button', { name: 'Send a test' }).click()
      await page.getByText('webhook.test').first().waitFor()
      await worker.drain()
      await page.reload()
      await page.getByText('it answered 500').waitFor()
      await page.getByText('Fails since').waitFor()
      await inspect(page, `${name}-failing`, options)

      receiver.answerWith((_request, response) => response.writeHead(204).end())
      await page.getByRole('button', { name: 'Send again' }).click()
      await worker.drain()
      await page.reload()
      await page.getByText('delivered (204)').waitFor()
      await page.getByRole('button', { name: 'Replace the secret' }).click()
      await page.getByText('The secret before it signs as well').waitFor()
      expect((await page.locator('#secret').textContent())?.trim()).not.toBe(secret)

      receiver.answerWith((_request, response) => response.writeHead(410).end())
      await page.getByRole('button', { name: 'Send a test' }).click()
      await worker.drain()
      await page.reload()
      await page.getByRole('button', { name: 'Turn on' }).waitFor()
      await inspect(page, `${name}-off`, options)
      await page.goto(`${t.baseUrl}/console/webhooks`)
      await page.getByText('when it answered 410').waitFor()
      await inspect(page, `${name}-listed`, options)
    }, options)
    await worker.close()
  },
)

async function signIn(page: Page, accountId: number): Promise<void> {
  page.setDefaultTimeout(10_000)
  const value = await t.services.sessions.begin(accountId)
  const url = `${t.baseUrl}/console`
  await page.context().addCookies([{ name: 'brevis_session', value, url }])
}

import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { browserSetups, browserTest } from '../support/browser-test.ts'
import { inspect } from '../support/inspection.ts'
import { startReceiver, startWorker } from '../support/webhooks.ts'

const test = browserTest({ OUTBOUND_ALLOW: '127.0.0.0/8' })
  .extend('openReceiver', { scope: 'file' }, () => startReceiver)
  .extend('receiver', { scope: 'file' }, async ({ openReceiver }, { onCleanup }) => {
    const receiver = await openReceiver()
    onCleanup(receiver.close)
    return receiver
  })

test.for(browserSetups)(
  '%s: a user adds an endpoint, sends a failed event again and rotates the secret',
  async ([setupName, options], { app, signInPage, receiver }) => {
    const name = `webhooks-${setupName.replaceAll(' ', '-')}`
    const worker = startWorker(app)
    const path = `${setupName.replaceAll(' ', '-')}/${'without-any-end/'.repeat(30)}`
    const url = `${receiver.url}${path}?token=${'x'.repeat(600)}&quote="><script>alert(1)</script>`
    receiver.respondWith((_request, response) => response.writeHead(500).end())
    await app.walk(async (page) => {
      page.setDefaultTimeout(60_000)
      await signInPage(page)
      await page.goto(`${app.baseUrl}/console/webhooks`)
      await inspect(page, `${name}-none`, options)
      await page.getByLabel('Endpoint URL').fill('ftp://example.com/')
      await page.getByRole('button', { name: 'Add endpoint' }).click()
      await page.locator('#url-error').waitFor()
      await inspect(page, `${name}-refused`, options)
      await page.getByLabel('Endpoint URL').fill(url)
      await page.getByRole('button', { name: 'Add endpoint' }).click()
      await page.getByText('No deliveries yet.').waitFor()
      const secret = (await page.locator('#secret').textContent())?.trim()
      await page.getByRole('button', { name: 'Send test event' }).click()
      await page.getByText('webhook.test').first().waitFor()
      await worker.drain()
      await page.reload()
      await page.getByText('returned 500').waitFor()
      await page.getByText('Failing since').waitFor()
      await inspect(page, `${name}-failing`, options)

      receiver.respondWith((_request, response) => response.writeHead(204).end())
      await navigate(page, () => page.getByRole('button', { name: 'Send again' }).click())
      await worker.drain()
      await page.reload()
      await page.getByText('Delivered (204)').waitFor()
      await page.getByRole('button', { name: 'Rotate secret' }).click()
      await page.getByText('The previous secret also works').waitFor()
      expect((await page.locator('#secret').textContent())?.trim()).not.toBe(secret)

      // The status 410 (Gone) disables an endpoint.
      receiver.respondWith((_request, response) => response.writeHead(410).end())
      await navigate(page, () => page.getByRole('button', { name: 'Send test event' }).click())
      await worker.drain()
      await page.reload()
      await page.getByRole('button', { name: 'Enable' }).waitFor()
      await inspect(page, `${name}-off`, options)
      await page.goto(`${app.baseUrl}/console/webhooks`)
      await page.getByText('(returned 410)').waitFor()
      await inspect(page, `${name}-listed`, options)
    }, options)
    await worker.close()
  },
)

/** Runs an action and waits until the page that it opens is loaded. */
async function navigate(page: Page, action: () => Promise<void>): Promise<void> {
  await Promise.all([page.waitForEvent('load'), action()])
}

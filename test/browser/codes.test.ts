import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { expect } from 'vitest'
import { getQrDetails, listQrCodes } from '../../src/qr/qr.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { browserSetups, browserTest, LONG_WORD } from '../support/browser-test.ts'
import { inspect } from '../support/inspection.ts'

const test = browserTest()

/** Returns the content of the visible preview. */
const previewOf = (page: Page) => page.frameLocator('iframe:not([hidden])')

async function createLogo() {
  const picture = sharp({ create: { width: 60, height: 60, channels: 3, background: '#c02020' } })
  return { name: 'logo.png', mimeType: 'image/png', buffer: await picture.png().toBuffer() }
}

test('the preview of a new code updates as the form changes', async ({ app, signInPage }) => {
  await app.walk(async (page) => {
    const owner = await signInPage(page)
    await page.goto(`${app.baseUrl}/console/codes`)
    await inspect(page, 'console-codes-empty')
    await page.getByRole('link', { name: 'New QR code' }).click()
    await previewOf(page).getByText('Destination URL is still missing.').waitFor()
    await page.getByRole('link', { name: 'Wi-Fi' }).click()
    await page.getByLabel('Network name (SSID)').fill(`Guests ${LONG_WORD}`.slice(0, 32))
    await page.getByLabel('Password').fill('correct horse')
    await previewOf(page).getByText('correct horse').waitFor()
    await page.getByLabel('Foreground').fill('#ff0000')
    await previewOf(page).getByText('some phones may not scan this code').waitFor()
    await inspect(page, 'console-code-weak')
    await page.getByLabel('Foreground').fill('#143c5a')
    await page.getByLabel('Logo', { exact: true }).setInputFiles(await createLogo())
    await page.getByLabel('Name', { exact: true }).fill(`Poster ${LONG_WORD}`)
    await previewOf(page).getByText('Easy to scan').waitFor()
    await inspect(page, 'console-code-new')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(/\/console\/codes\/\d+$/)
    await inspect(page, 'console-code-wifi')
    const { entries } = await listQrCodes(scopeOf(app.services, owner.account.id), {
      limit: 10,
      offset: 0,
    })
    expect(entries).toEqual([
      expect.objectContaining({ type: 'wifi', name: `Poster ${LONG_WORD}` }),
    ])
  })
})

test.for(browserSetups)(
  '%s: a user views the scans of a code and changes it',
  async ([setupName, options], { app, signInPage }) => {
    const hasScripts = options.javaScriptEnabled !== false
    await app.walk(async (page) => {
      const owner = await signInPage(page)
      const { id } = await app.make.qr(owner, {
        name: 'Menu',
        type: 'link',
        data: `${app.site.origin}/${LONG_WORD}`,
      })
      await app.make.qr(owner, {
        name: LONG_WORD,
        type: 'vcard',
        data: { fname: LONG_WORD, street: '1\n2' },
      })
      const { shortUrl } = await getQrDetails(scopeOf(app.services, owner.account.id), id)
      await app.request({ url: new URL(shortUrl ?? '').pathname })
      await app.importClicks()
      await page.goto(`${app.baseUrl}/console/codes`)
      await inspect(page, `console-codes-${setupName}`, options)
      await page.getByRole('link', { name: 'Menu', exact: true }).click()
      await page.getByText('When scanned').waitFor()
      await inspect(page, `console-code-${setupName}`, options)
      await page.getByRole('link', { name: 'Edit' }).click()
      await previewOf(page).getByText('When scanned').waitFor()
      await page.getByLabel('Destination URL', { exact: true }).fill('https://example.com/new')
      // Without scripts, the preview needs a button. Pressing it must keep the uploaded logo.
      if (!hasScripts) {
        await page.getByLabel('Logo', { exact: true }).setInputFiles(await createLogo())
        await page.getByRole('button', { name: 'Update preview' }).click()
      }
      await previewOf(page).getByText('https://example.com/new').waitFor()
      await inspect(page, `console-code-edit-${setupName}`, options)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.waitForURL(/\/console\/codes\/\d+$/)
      const stored = await getQrDetails(scopeOf(app.services, owner.account.id), id)
      expect(stored).toMatchObject({
        shortUrl,
        content: { kind: 'dynamic', destination: 'https://example.com/new' },
        hasLogo: !hasScripts,
      })
      await page.goto(`${app.baseUrl}/console/codes/new?type=vcard`)
      await inspect(page, `console-code-contact-${setupName}`, options)
    }, options)
  },
)

import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inspect, phone } from '../support/browser.ts'
import { type BrowserApp, browserApp } from '../support/browser-app.ts'

let t: BrowserApp

beforeAll(async () => {
  t = await browserApp()
})
afterAll(() => t?.close())

const LONG = 'w'.repeat(120)
const looks: [string, BrowserContextOptions][] = [
  ['wide', {}],
  ['dark', { colorScheme: 'dark' }],
  ['phone', { viewport: phone }],
  ['phone without scripts', { viewport: phone, javaScriptEnabled: false }],
]

/** Signs the first account in, which is an admin. */
async function begin(page: Page): Promise<void> {
  const value = await t.services.sessions.begin(t.owner.account.id)
  await page.context().addCookies([{ name: 'brevis_session', value, url: `${t.baseUrl}/console` }])
}

test.each(looks)('%s: a link is reported, and its reports are settled', async (look, options) => {
  const stranger = await t.make.owner({ username: `stranger-${look.replaceAll(' ', '-')}` })
  const url = `https://${look.replaceAll(' ', '-')}.example/${LONG.repeat(4)}`
  const { id, alias, shortUrl } = await t.make.link(stranger, { url, type: 'splash' })
  await t.walk(async (page) => {
    await page.goto(`${t.baseUrl}/${alias}`)
    await inspect(page, `report-splash-${look}`, options)
    await page.goto(`${t.baseUrl}/${alias}+`)
    await inspect(page, `report-preview-${look}`, options)
    await page.getByRole('link', { name: 'Report this link' }).click()
    await page.waitForURL('**/*+report')
    await page.getByRole('radio', { name: 'Phishing' }).check()
    await page.getByLabel('What you know of it').fill(`It asks for my password. ${LONG}`)
    await inspect(page, `report-form-${look}`, options)
    await page.getByRole('button', { name: 'Send report' }).click()
    await page.getByRole('heading', { name: 'Thank you' }).waitFor()
    await inspect(page, `report-sent-${look}`, options)
  }, options)
  for (const [n, reason] of ['malware', 'other', 'phishing'].entries()) {
    await t.services.reports.add(id, `203.0.113.${n + 50}`, { reason, text: '<b>‮evil' })
  }
  await t.walk(async (page) => {
    await begin(page)
    await page.goto(`${t.baseUrl}/console/operator/reports`)
    const report = page.getByRole('region', { name: shortUrl })
    await report.getByText('What reporters wrote').click()
    await inspect(page, `operator-reports-${look}`, options)
    await report.getByRole('button', { name: 'Block its host' }).click()
    await page.waitForURL('**/reports?done=block')
    await page.getByText('The host is blocked.').waitFor()
    await inspect(page, `operator-reports-none-${look}`, options)
    await page.getByRole('link', { name: 'Settled' }).click()
    await page.getByRole('heading', { name: shortUrl }).waitFor()
    await inspect(page, `operator-reports-settled-${look}`, options)
    await page.goto(`${t.baseUrl}/${alias}`)
    await page.getByRole('heading', { name: 'This link is blocked' }).waitFor()
    await inspect(page, `blocked-${look}`, options)
  }, options)
})

test.each(looks)('%s: a host is counted, blocked and unblocked', async (look, options) => {
  const host = `${look.replaceAll(' ', '-')}.${'long-'.repeat(11)}name.example`
  await t.make.link(t.owner, { url: `https://www.${host}/` })
  await t.walk(async (page) => {
    await begin(page)
    await page.goto(`${t.baseUrl}/console/operator/hosts`)
    await page.getByRole('main').getByRole('link', { name: 'Block a host' }).first().click()
    await page.getByLabel('Host', { exact: true }).fill('no host')
    await page.getByRole('button', { name: 'Block' }).click()
    await page.waitForSelector('#host-error')
    await inspect(page, `operator-hosts-wrong-${look}`, options)
    await page.getByLabel('Host', { exact: true }).fill(`https://${host}/path`)
    await page.getByLabel('And all its subdomains').check()
    await page.getByLabel('Reason').fill(`Phishing ${LONG.slice(0, 100)}`)
    await page.getByRole('button', { name: 'Count its links' }).click()
    await page.getByText('1 link leads there now.').waitFor()
    await inspect(page, `operator-hosts-counted-${look}`, options)
    expect(await page.getByLabel('And all its subdomains').isChecked()).toBe(true)
    await page.getByRole('button', { name: 'Block' }).click()
    await page.waitForURL('**/hosts?blocked=*')
    await inspect(page, `operator-hosts-${look}`, options)
    await page.getByRole('link', { name: `Unblock ${host}` }).click()
    await inspect(page, `operator-hosts-remove-${look}`, options)
    await page.getByRole('button', { name: 'Unblock' }).click()
    await page.waitForURL('**/hosts?unblocked=*')
    await page.getByText('is no longer blocked.').waitFor()
  }, options)
})

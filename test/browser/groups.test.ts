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

async function begin(page: Page) {
  const owner = await t.make.owner()
  const value = await t.services.sessions.begin(owner.account.id)
  await page.context().addCookies([{ name: 'brevis_session', value, url: `${t.baseUrl}/console` }])
  return owner
}

test.each(looks)('%s: a campaign takes links in and lets them go', async (look, options) => {
  await t.walk(async (page) => {
    const owner = await begin(page)
    const link = await t.make.link(owner, { url: `https://example.com/${LONG}` })
    const campaign = await t.make.campaign(owner, { name: LONG, slug: `s-${owner.account.id}` })
    await page.goto(`${t.baseUrl}/console/campaigns/${campaign.id}`)
    await inspect(page, `console-campaign-empty-${look}`, options)
    await page.getByLabel('Add a link').fill('nowhere')
    await page.getByRole('button', { name: 'Add' }).click()
    await page.waitForSelector('#link-error')
    await inspect(page, `console-campaign-refused-${look}`, options)
    await page.getByLabel('Add a link').fill(link.alias)
    await page.getByRole('button', { name: 'Add' }).click()
    await page.waitForURL('**/*?added=*')
    await t.request({ url: `/${link.alias}` })
    await t.importClicks()
    await page.goto(`${t.baseUrl}/console/campaigns/${campaign.id}`)
    await inspect(page, `console-campaign-${look}`, options)
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.waitForSelector('text=There is no link in it yet.')
  }, options)
})

test.each(looks)('%s: a channel holds links, bio pages and codes', async (look, options) => {
  await t.walk(async (page) => {
    const owner = await begin(page)
    const link = await t.make.link(owner, { meta: { title: `Shop ${LONG}` } })
    await t.make.bio(owner, { title: `Anna ${LONG}` })
    await t.make.qr(owner, { name: 'Poster' })
    const channel = await t.make.channel(owner, {
      name: 'Spring',
      color: '#0b6b5a',
      starred: true,
      description: 'What goes out in spring.',
    })
    await page.goto(`${t.baseUrl}/console/channels/${channel.id}`)
    await page.getByLabel('Add a link').fill(link.shortUrl)
    await page.getByRole('button', { name: 'Add' }).first().click()
    await page.waitForURL('**/*?added=links*')
    await page.getByLabel('Add a bio page or a QR code').selectOption({ label: 'Poster' })
    await page.getByRole('button', { name: 'Add' }).nth(1).click()
    await page.waitForURL('**/*?added=qr*')
    await page.getByLabel('Add a bio page or a QR code').selectOption({ index: 0 })
    await page.getByRole('button', { name: 'Add' }).nth(1).click()
    await page.waitForURL('**/*?added=bio*')
    await inspect(page, `console-channel-${look}`, options)
    await page.getByRole('button', { name: 'Remove Poster' }).click()
    await page.waitForURL('**/*#items')
    expect(await page.getByRole('button', { name: 'Remove' }).count()).toBe(2)
  }, options)
})

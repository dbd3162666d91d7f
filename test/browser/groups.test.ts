import { expect } from 'vitest'
import { browserSetups, browserTest, LONG_WORD } from '../support/browser-test.ts'
import { inspect } from '../support/inspection.ts'

const test = browserTest()

test.for(browserSetups)(
  '%s: a user adds a link to a campaign, sees its clicks and removes it',
  async ([setupName, options], { app, signInPage }) => {
    await app.walk(async (page) => {
      const owner = await signInPage(page)
      const link = await app.make.link(owner, { url: `https://example.com/${LONG_WORD}` })
      const campaign = await app.make.campaign(owner, {
        name: LONG_WORD,
        slug: `s-${owner.account.id}`,
      })
      await page.goto(`${app.baseUrl}/console/campaigns/${campaign.id}`)
      await inspect(page, `console-campaign-empty-${setupName}`, options)
      await page.getByLabel('Add a link').fill('nowhere')
      await page.getByRole('button', { name: 'Add' }).click()
      await page.waitForSelector('#link-error')
      await inspect(page, `console-campaign-refused-${setupName}`, options)
      await page.getByLabel('Add a link').fill(link.alias)
      await page.getByRole('button', { name: 'Add' }).click()
      await page.waitForURL('**/*?added=*')
      await app.request({ url: `/${link.alias}` })
      await app.importClicks()
      await page.goto(`${app.baseUrl}/console/campaigns/${campaign.id}`)
      await inspect(page, `console-campaign-${setupName}`, options)
      await page.getByRole('button', { name: 'Remove' }).click()
      await page.waitForSelector('text=No links yet.')
    }, options)
  },
)

test.for(browserSetups)(
  '%s: a user adds a link, a bio page and a QR code to a channel, and removes one',
  async ([setupName, options], { app, signInPage }) => {
    await app.walk(async (page) => {
      const owner = await signInPage(page)
      const link = await app.make.link(owner, { metaTitle: `Shop ${LONG_WORD}` })
      await app.make.bio(owner, { title: `Anna ${LONG_WORD}` })
      await app.make.qr(owner, { name: 'Poster' })
      const channel = await app.make.channel(owner, {
        name: 'Spring',
        color: '#0b6b5a',
        starred: true,
        description: 'Posts of the spring campaign.',
      })
      await page.goto(`${app.baseUrl}/console/channels/${channel.id}`)
      await page.getByLabel('Add a link').fill(link.shortUrl)
      await page.getByRole('button', { name: 'Add' }).first().click()
      await page.waitForURL('**/*?added=links*')
      await page.getByLabel('Add bio page or QR code').selectOption({ label: 'Poster' })
      await page.getByRole('button', { name: 'Add' }).nth(1).click()
      await page.waitForURL('**/*?added=qr*')
      await page.getByLabel('Add bio page or QR code').selectOption({ index: 0 })
      await page.getByRole('button', { name: 'Add' }).nth(1).click()
      await page.waitForURL('**/*?added=bio*')
      await inspect(page, `console-channel-${setupName}`, options)
      await page.getByRole('button', { name: 'Remove Poster' }).click()
      await page.waitForURL('**/*#items')
      expect(await page.getByRole('button', { name: 'Remove' }).count()).toBe(2)
    }, options)
  },
)

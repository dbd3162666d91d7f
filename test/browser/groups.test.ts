import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { browserSetups, browserTest, LONG_WORD } from '../support/browser-test.ts'
import { inspect } from '../support/inspection.ts'

const test = browserTest()

/** Searches for links to add. Without scripts, the search needs its button. */
async function searchFor(page: Page, text: string): Promise<void> {
  await page.getByLabel('Find links to add').fill(text)
  const button = page.getByRole('button', { name: 'Search', exact: true })
  if (await button.isVisible()) await button.click()
}

test.for(browserSetups)(
  '%s: a user finds links for a campaign, adds two, sees its clicks and removes it',
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
      const other = await app.make.link(owner, { alias: `other-${owner.account.id}` })
      await searchFor(page, 'nowhere')
      await page.locator('.found', { hasText: 'No results' }).waitFor()
      await inspect(page, `console-campaign-nothing-${setupName}`, options)
      await searchFor(page, other.alias)
      await page.getByRole('checkbox', { name: `Select brev.test/${other.alias}` }).check()
      await searchFor(page, link.alias)
      await page.getByRole('checkbox', { name: `Select brev.test/${link.alias}` }).check()
      await inspect(page, `console-campaign-adding-${setupName}`, options)
      await page.getByRole('button', { name: 'Add selected' }).click()
      await page.waitForURL(/campaigns\/\d+#items$/)
      await page.getByRole('button', { name: `Remove brev.test/${other.alias}` }).click()
      await page.waitForURL('**/*#items')
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
      await searchFor(page, link.alias)
      await page.getByRole('checkbox', { name: `Select brev.test/${link.alias}` }).check()
      await page.getByRole('button', { name: 'Add selected' }).click()
      await page.getByLabel('Add bio page or QR code').selectOption({ label: 'Poster' })
      await page.getByRole('button', { name: 'Add' }).click()
      await page.getByRole('button', { name: 'Remove Poster' }).waitFor()
      await page.getByLabel('Add bio page or QR code').selectOption({ index: 0 })
      await page.getByRole('button', { name: 'Add' }).click()
      await page.getByRole('button', { name: 'Remove Anna' }).waitFor()
      await inspect(page, `console-channel-${setupName}`, options)
      await page.getByRole('button', { name: 'Remove Poster' }).click()
      await page.waitForURL('**/*#items')
      expect(await page.getByRole('button', { name: 'Remove' }).count()).toBe(2)
    }, options)
  },
)
